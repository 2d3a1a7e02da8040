"""What is asked of the write path, and what comes of it.

Errors beside the law's and the store's, as a tree:

    HandlingError
      Stale          the caller's condition does not hold; carries the present game
      Busy           too many conflicts in a row; nothing was written
      KeyReused      the idempotency key was used for another request
      Forbidden      the caller may read the game but not do this
      Hidden         the game exists, but not for this caller
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...rules.plain import Event
from ...rules.ruleset import AnyRuleset
from ...store.protocol import Key
from .. import ids
from ..codec import Replaced
from ..game import Game
from ..table.clocks import Deadline
from ..table.events import Duplicate, Place, SeatPlan
from ..tokens import Token


@dataclass(frozen=True, slots=True)
class Creation:
    """What a host asks for. `outcomes` arranges the chance; None: sealed chance.

    `bits` are the random bits that are sealed; None (always so for clients): fresh ones. `opening`
    is what stands right behind the creation. `id` is the game's id where it follows from something
    else than the request: whoever lays it first has laid it for all who ask. Who lays the tables of
    a `tournament` has asked for room for all of them.
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
    """How a request is made: by which token, under which key, on which condition.

    `fits` is asked about the newest state; `fingerprint` is a hash of all that was asked. `grace`
    is for how long (ms) the caller itself sees to the bots that must act next. `replaced` says
    that the bot `by` moves in another one's place. `origin` is where the request comes from.
    """

    token: Token | None
    key: str | None = None
    fingerprint: str = ""
    fits: Callable[[Game], bool] | None = None
    by: str | None = None
    grace: int = 0
    replaced: Replaced | None = None
    origin: str | None = None

    @property
    def caller(self) -> str | None:
        """The hash of the token."""
        return None if self.token is None else self.token.hash

    @property
    def game_id(self) -> str | None:
        """The id that a game laid by this request has, None where it is random."""
        return game_id_for(self.token, self.key) if self.token and self.key else None

    @property
    def keyed(self) -> Key | None:
        """The key as the store knows it: bound to the token."""
        if self.key is None or self.token is None:
            return None
        return Key(_bind_key(self.token, self.key).hex(), self.fingerprint)


def game_id_for(token: Token, key: str | None) -> str:
    """Returns 26 characters from 130 bits: random, or following from the token and the key."""
    bits = secrets.token_bytes(17) if key is None else _bind_key(token, key)
    return ids.encode_id(bits)


def _bind_key(token: Token, key: str) -> bytes:
    return hashlib.sha256(token.hash.encode() + b"\0" + key.encode()).digest()
