"""Idempotency: a request repeated under its key is not carried out again, its result is replayed.

A key is bound to the token and kept beside the stream with the versions that its request wrote. So
a replay needs nothing but the stream. The archive keeps no keys; there a repeated creation is
recognized by what it created.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...store import KeyUse, Store
from .. import tokens
from ..codec import decode_meta
from ..game import Game
from ..history import load_events
from ..repository import Repository, UnknownGame
from ..table.events import GameCreated, SeatClaimed, SeatHandedOver
from ..tokens import Token
from .errors import KeyReused
from .requests import RequestContext
from .results import Committed


def replay(
    store: Store, repository: Repository, newest: Game, use: KeyUse, request: RequestContext
) -> Committed:
    """Returns what the request that used the key first had committed; `newest` is the game now.

    Raises `KeyReused` where that was another request.
    """
    check_same_request(use, request)
    events = load_events(repository, newest, use.first, use.last)
    return Committed(newest, events, replayed=True, durable=store.confirm_durable(newest.id))


def replay_creation(
    store: Store,
    repository: Repository,
    created: GameCreated,
    request: RequestContext,
    *,
    shared_id: bool,
) -> Committed | None:
    """Returns what a creation under this key had committed before; None if there was none.

    With `shared_id` the game's id does not follow from the key: whoever created it first has
    created it for all. Raises `KeyReused` where the key was used for another request.
    """
    key = request.store_key
    if key is None and not shared_id:
        return None
    try:
        loaded = repository.load(created.game, key.name if key else None)
    except UnknownGame:
        return None
    if loaded.key_use is not None:
        return replay(store, repository, loaded.game, loaded.key_use, request)
    if not shared_id and _requested(loaded.game.table.created) != _requested(created):
        raise KeyReused
    meta = decode_meta(repository.read_entries(created.game, 1, 1)[0])
    size = 0 if meta is None else meta.size
    events = load_events(repository, loaded.game, 1, size)
    return Committed(
        loaded.game, events, replayed=True, durable=store.confirm_durable(created.game)
    )


def check_same_request(use: KeyUse, request: RequestContext) -> None:
    """Raises `KeyReused` where a key was used for another request than this one."""
    if use.fingerprint != request.fingerprint:
        raise KeyReused


def with_codes(committed: Committed, token: Token) -> Committed:
    """Adds the claim and watch codes that the append made.

    They follow from the token, so a replay has the same ones.
    """
    codes: dict[int, str] = {}
    watch = None
    for event in (line.event for line in committed.events):
        if isinstance(event, GameCreated):
            if not tokens.same_hash(event.host, token.hash):
                continue  # somebody else's table under a shared id
            codes = {
                seat: tokens.claim_code(token, event.game, seat, 0)
                for seat, claim in enumerate(event.claims)
                if claim is not None
            }
            watch = None if event.watch is None else tokens.watch_code(token, event.game)
        elif isinstance(event, SeatClaimed):
            codes.pop(event.seat, None)
        elif isinstance(event, SeatHandedOver):
            code = tokens.claim_code(token, committed.game.id, event.seat, event.number)
            codes[event.seat] = code
    return replace(committed, codes=codes, watch=watch) if codes or watch else committed


def _requested(created: GameCreated) -> tuple[Any, ...]:
    """Returns what the client of a creation had asked for, in a form that can be compared."""
    return (
        created.ruleset,
        created.options,
        created.seats,
        created.visibility,
        created.start,
        created.sealed_chance.get("outcomes"),
        created.deadline,
        created.bot_delay,
        created.forked_from,
        created.rematch_of,
        created.advice,
    )
