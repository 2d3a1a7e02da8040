"""What else clients send: claims, questions, webhooks, tokens."""

from __future__ import annotations

from typing import Final

from service.games.addresses import URL, target
from service.games.events import NAME
from service.games.telling import TYPES, secret_bytes
from service.levels import SEARCHING
from service.rules.plain import (
    Kind,
    Many,
    Maybe,
    Misshapen,
    OneOf,
    Plain,
    Text,
    Whole,
)

from .basics import CLAIM_CODE, MAYBE_SEAT, TOKEN, Strict, patterned, told
from .described import Described

DAY: Final = 86_400
MOST_TOP: Final = 20
MOST_OVERLAP: Final = 30 * DAY


class AskAnalysis(Strict):
    """A question for a bot's advice."""

    level = Described(
        OneOf(SEARCHING),
        load_default=SEARCHING[0],
        metadata=told("how well the bot thinks: one of the levels that search"),
    )
    top = Described(
        Whole(1, MOST_TOP), load_default=5, metadata=told("the most commands that are ranked")
    )
    seat = Described(
        MAYBE_SEAT,
        load_default=None,
        metadata=told("the seat that is advised; null: the first of the caller's that must act"),
    )
    version = Described(
        Maybe(Whole(1, 10**9)),
        load_default=None,
        metadata=told("an earlier version at which the seat had to act; null: the newest"),
    )


class ClaimSeat(Strict):
    """Takes an open seat."""

    claim_code = patterned(CLAIM_CODE, required=True, metadata=told("the code that opens the seat"))
    name = Described(NAME, required=True, metadata=told("the name shown"))
    entropy = Described(
        Text(64), load_default="", metadata=told("what the seat adds to the chance")
    )


class HookUrl(Kind):
    """Where a webhook leads. Which addresses may be called is the service's to say."""

    pattern = f"^{URL}$"

    def parse(self, value: Plain, pointer: str) -> str:
        try:
            target(value if isinstance(value, str) else "", local=True)
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
        metadata=told("whsec_ and 24 to 64 bytes in base64; without one the service makes it"),
    )


class CreateWebhook(Strict):
    """A webhook to be called when something happens in a game."""

    url = Described(
        HookUrl(),
        required=True,
        documented={"type": "string", "pattern": HookUrl.pattern, "maxLength": 2_100},
        metadata=told("where it leads: http or https, port 80, 443 or from 1024 on, no user"),
    )
    events = Described(
        Many(OneOf(TYPES), len(TYPES), 1),
        load_default=TYPES,
        metadata=told("what is told; everything, if left out"),
    )
    secret = _secret()


class RotateWebhook(Strict):
    """A new secret for a webhook."""

    secret = _secret()
    overlap_s = Described(
        Whole(0, MOST_OVERLAP),
        load_default=DAY,
        metadata=told("for so many seconds the present secret signs too"),
    )


class RotateToken(Strict):
    """Replaces the caller's token in all its games."""

    token = patterned(TOKEN, required=True, metadata=told("the new token, made by the client"))
