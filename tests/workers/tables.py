"""Tables laid for the workers' tests: the toy game, or any ruleset, in a store of its own."""

from __future__ import annotations

import random
from typing import Any

from service.games import due_work
from service.games.codec import Meta, decode_meta
from service.games.commands.handler import CommandHandler
from service.games.commands.requests import Creation, RequestContext
from service.games.due_work import Lifetimes
from service.games.game import Game
from service.games.repository import Repository
from service.games.table.events import SeatPlan
from service.games.tokens import Token
from service.store import MemoryStore
from tests.rules.toy import Pebbles
from workers.context import WorkerContext

HOST = Token("bl_" + "h" * 43)
START = 1_700_000_000_000


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


def context(clock: Clock, life: Lifetimes | None = None) -> WorkerContext:
    """A house on a memory store, with bots that always think the same."""
    store = MemoryStore(clock)
    life = life or Lifetimes()
    return WorkerContext(CommandHandler(store, Repository(store), life), life, random.Random(1))


def lay(a_house: WorkerContext, *levels: str | None, ruleset: Any = None) -> Game:
    """Lays a table with a bot of each level; None is an open seat."""
    law = ruleset or Pebbles()
    seats = tuple(
        SeatPlan("human") if level is None else SeatPlan("bot", f"bot {seat}", level)
        for seat, level in enumerate(levels)
    )
    creation = Creation(law, law.options(), seats)
    return a_house.command_handler.create(creation, HOST, RequestContext(HOST)).game


def newest(a_house: WorkerContext, game: Game) -> Game:
    """The game as it stands now."""
    return a_house.command_handler.repository.load(game.id).game


def bys(a_house: WorkerContext, game: Game) -> list[str | None]:
    """By whom each append of the game was made, and in whose place."""
    return [
        meta.sent_by
        if meta.replaced is None
        else f"{meta.sent_by} for {meta.replaced.level}: {meta.replaced.reason}"
        for meta in metas(a_house, game)
    ]


def metas(a_house: WorkerContext, game: Game) -> list[Meta]:
    """What each append of the game says of itself."""
    entries = a_house.command_handler.repository.read_entries(game.id, 1, 10_000)
    return [meta for meta in map(decode_meta, entries) if meta is not None]


def owes(a_house: WorkerContext, game: Game) -> dict[str, int]:
    """What the game owes: kind to time (ms)."""

    return a_house.command_handler.store.get_due(game.id, due_work.KINDS)
