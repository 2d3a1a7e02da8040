"""Webhooks: creation and rotation of secrets."""

from __future__ import annotations

from typing import Final

from service.games.webhooks.addresses import URL, parse_target
from service.games.webhooks.signing import secret_bytes
from service.games.webhooks.types import TYPES
from service.rules.kinds import Kind, Many, OneOf, Whole
from service.rules.plain import Misshapen, Plain

from ..described_fields import Described
from ..fields import Strict, documentation

DAY: Final = 86_400
MAX_OVERLAP: Final = 30 * DAY


class WebhookUrl(Kind):
    """The URL of a receiver. Which addresses may be called is checked by the service."""

    pattern = f"^{URL}$"

    def parse(self, value: Plain, pointer: str) -> str:
        try:
            parse_target(value if isinstance(value, str) else "", local=True)
        except ValueError as error:
            raise Misshapen(pointer, str(error)) from None
        return str(value)


class WebhookSecret(Kind):
    """A webhook's secret, or null."""

    pattern = "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"

    def parse(self, value: Plain, pointer: str) -> str | None:
        if value is None:
            return None
        try:
            secret_bytes(value if isinstance(value, str) else "")
        except ValueError as error:
            raise Misshapen(pointer, str(error)) from None
        return str(value)


def _secret() -> Described:
    return Described(
        WebhookSecret(),
        load_default=None,
        documented={
            "anyOf": [{"type": "string", "pattern": WebhookSecret.pattern}, {"type": "null"}],
            "writeOnly": True,
        },
        metadata=documentation(
            "whsec_ followed by 24 to 64 bytes in base64; null: the service generates it"
        ),
    )


class CreateWebhook(Strict):
    """The webhook to add."""

    url = Described(
        WebhookUrl(),
        required=True,
        documented={"type": "string", "pattern": WebhookUrl.pattern, "maxLength": 2_100},
        metadata=documentation(
            "the receiver's URL: http or https, port 80, 443 or 1024 and above, no user"
        ),
    )
    events = Described(
        Many(OneOf(TYPES), len(TYPES), 1),
        load_default=TYPES,
        metadata=documentation("the message types to send; all by default"),
    )
    secret = _secret()


class RotateWebhook(Strict):
    """A new secret for a webhook."""

    secret = _secret()
    overlap_s = Described(
        Whole(0, MAX_OVERLAP),
        load_default=DAY,
        metadata=documentation("for how many seconds the current secret signs too"),
    )
