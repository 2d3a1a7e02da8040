"""Requests to the write path: creations, and the context that every request comes with."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...rules.described import Event
from ...rules.ruleset import AnyRuleset
from ...store import IdempotencyKey
from .. import ids
from ..codec import Replaced
from ..game import Game
from ..table.clocks import Deadline
from ..table.events import Duplicate, Place, SeatPlan
from ..tokens import Token


@dataclass(frozen=True, slots=True)
class Creation:
    """A request for a new game. `outcomes` arranges the chance; None: sealed chance.

    `bits` are the random bits to be sealed; None (always so for clients): fresh ones. `opening` are
    the events right behind the creation. `id` is the game's id where it follows from something else
    than the request: whoever creates it first has created it for all. For the tables of a
    `tournament` the caller has checked the quota of bots' games.
    """

    ruleset: AnyRuleset
    options: Any
    seats: tuple[SeatPlan, ...]
    visibility: str = "public"
    start: str = "full"
    outcomes: tuple[str | int, ...] | None = None
    bits: bytes | None = None
    deadline: Deadline | None = None
    bot_delay: int = 0
    opening: tuple[Event, ...] = ()
    forked_from: Place | None = None
    rematch_of: str | None = None
    tournament: Duplicate | None = None
    advice: bool = True
    id: str | None = None


@dataclass(frozen=True, slots=True)
class RequestContext:
    """How a request is made: with which token, idempotency key and condition.

    `fingerprint` is a hash of the whole request. `condition` must hold for the newest state.
    `sent_by` names a sender that is no client: a bot's level, "worker", "relay". For `bot_lease`
    (ms) the sender itself plays the bots that must act next. `replaced` says in which bot's place
    the sender moves. `origin` is the client's address.
    """

    token: Token | None
    key: str | None = None
    fingerprint: str = ""
    condition: Callable[[Game], bool] | None = None
    sent_by: str | None = None
    bot_lease: int = 0
    replaced: Replaced | None = None
    origin: str | None = None

    @property
    def caller(self) -> str | None:
        """The hash of the token."""
        return None if self.token is None else self.token.hash

    @property
    def game_id(self) -> str | None:
        """The id of the game that this request would create; None where it is random."""
        return game_id_for(self.token, self.key) if self.token and self.key else None

    @property
    def store_key(self) -> IdempotencyKey | None:
        """The idempotency key as the store keeps it: bound to the token."""
        if self.key is None or self.token is None:
            return None
        return IdempotencyKey(_bind_key(self.token, self.key).hex(), self.fingerprint)


def game_id_for(token: Token, key: str | None) -> str:
    """Returns a new game's id: random, or where there is a key, derived from token and key."""
    bits = secrets.token_bytes(17) if key is None else _bind_key(token, key)
    return ids.encode_id(bits)


def _bind_key(token: Token, key: str) -> bytes:
    return hashlib.sha256(token.hash.encode() + b"\0" + key.encode()).digest()
