"""Claims of seats."""

from __future__ import annotations

from service.games.table.events import NAME
from service.rules.kinds import Text

from ..described_fields import Described
from ..fields import CLAIM_CODE, Strict, documentation, pattern_field


class ClaimSeat(Strict):
    """Claims an open seat."""

    claim_code = pattern_field(
        CLAIM_CODE, required=True, metadata=documentation("the code that opens the seat")
    )
    name = Described(NAME, required=True, metadata=documentation("the name shown"))
    entropy = Described(
        Text(64),
        load_default="",
        metadata=documentation("the entropy that the seat adds to the chance"),
    )
