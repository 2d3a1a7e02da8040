"""What else clients send: claims, questions, webhooks, tokens."""

from __future__ import annotations

from typing import Final

from service.games.webhooks.addresses import URL, parse_target
from service.games.webhooks.signing import secret_bytes
from service.games.webhooks.types import TYPES
from service.rules.plain import Kind, Many, Misshapen, OneOf, Plain, Whole

from ..described_fields import Described
from ..fields import Strict, documentation

DAY: Final = 86_400
MAX_OVERLAP: Final = 30 * DAY


class HookUrl(Kind):
    """Where a webhook leads. Which addresses may be called is the service's to say."""

    pattern = f"^{URL}$"

    def parse(self, value: Plain, pointer: str) -> str:
        try:
            parse_target(value if isinstance(value, str) else "", local=True)
        except ValueError as fault:
            raise Misshapen(pointer, str(fault)) from None
        return str(value)


class HookSecret(Kind):
    """A webhook's secret, or null."""

    pattern = "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"

    def parse(self, value: Plain, pointer: str) -> str | None:
        if value is None:
            return None
        try:
            secret_bytes(value if isinstance(value, str) else "")
        except ValueError as fault:
            raise Misshapen(pointer, str(fault)) from None
        return str(value)


def _secret() -> Described:
    return Described(
        HookSecret(),
        load_default=None,
        documented={
            "anyOf": [{"type": "string", "pattern": HookSecret.pattern}, {"type": "null"}],
            "writeOnly": True,
        },
        metadata=documentation(
            "whsec_ and 24 to 64 bytes in base64; without one the service makes it"
        ),
    )


class CreateWebhook(Strict):
    """A webhook to be called when something happens in a game."""

    url = Described(
        HookUrl(),
        required=True,
        documented={"type": "string", "pattern": HookUrl.pattern, "maxLength": 2_100},
        metadata=documentation(
            "where it leads: http or https, port 80, 443 or from 1024 on, no user"
        ),
    )
    events = Described(
        Many(OneOf(TYPES), len(TYPES), 1),
        load_default=TYPES,
        metadata=documentation("what is told; everything, if left out"),
    )
    secret = _secret()


class RotateWebhook(Strict):
    """A new secret for a webhook."""

    secret = _secret()
    overlap_s = Described(
        Whole(0, MAX_OVERLAP),
        load_default=DAY,
        metadata=documentation("for so many seconds the present secret signs too"),
    )
