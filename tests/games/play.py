"""People who play at tables in tests: a house, its tokens, random games."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from service.games import legal_moves
from service.games.commands.handler import CommandHandler
from service.games.commands.requests import Creation, RequestContext
from service.games.commands.results import Committed
from service.games.game import Game
from service.games.repository import Repository
from service.games.table.commands import Abandon, GiveToBot, HandOver, Resign
from service.games.table.events import SeatPlan
from service.games.tokens import Token
from service.rules.described import Command
from service.store import Store
from tests.rules.toy import PEBBLES

START = 1_700_000_000_000
HOST = Token("bl_" + "h" * 43)
STRANGER = Token("bl_" + "z" * 43)


def person(seat: int) -> Token:
    """The token of the person who plays a seat."""
    return Token("bl_" + "abcdefgh"[seat] * 43)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


class House:
    """A store with its handling; what is done is done for people by their seat."""

    def __init__(self, store: Store, patience: int = 1_000, folder: Path | None = None) -> None:
        self.store = store
        self.repository = Repository(store, folder=folder)
        self.command_handler = CommandHandler(store, self.repository, patience=patience)

    def lay(self, *levels: str | None, **more: Any) -> Committed:
        """Lays a table with a bot of each level; None is a person's seat.

        `ruleset`, `options`, `deadline`, `key` and what else a creation takes may be given.
        """
        law = more.pop("ruleset", PEBBLES)
        options = more.pop("options", None) or law.options()
        key, fingerprint = more.pop("key", None), more.pop("fingerprint", "f")
        seats = tuple(
            SeatPlan("human") if level is None else SeatPlan("bot", f"bot {seat}", level)
            for seat, level in enumerate(levels)
        )
        request = RequestContext(HOST, key, fingerprint)
        return self.command_handler.create(Creation(law, options, seats, **more), HOST, request)

    def seated(self, *levels: str | None, **more: Any) -> Game:
        """Lays a table and lets the people sit down, each adding entropy."""
        laid = self.lay(*levels, **more)
        game = laid.game
        for seat, code in laid.codes.items():
            game = self.claim(game, seat, code, f"entropy {seat}").game
        return game

    def claim(self, game: Game, seat: int, code: str, entropy: str = "") -> Committed:
        token = RequestContext(person(seat))
        return self.command_handler.claim(game.id, seat, code, f"player {seat}", entropy, token)

    def send(self, game: Game, seat: int | None, *commands: Command, **more: Any) -> Committed:
        """Sends for a seat, or (None) as the host."""
        token = HOST if seat is None else person(seat)
        return self.command_handler.send(game.id, seat, commands, RequestContext(token, **more))

    def newest(self, game: Game) -> Game:
        return self.repository.load(game.id).game

    def step(self, game: Game, generator: random.Random, table_share: float = 0.15) -> Game:
        """Sends a random legal command: mostly the game's, now and then the table's."""
        bots = [seat for seat in game.to_act() if game.table.seats[seat].bot]
        if bots:
            seat = generator.choice(bots)
            command = generator.choice(game.ruleset.legal(game.state, seat))
            return self.command_handler.play_bot(seat, command, game, "bot").game
        callers = [person(seat) for seat in sorted(game.table.human_seats)]
        moves = [legal_moves.legal_moves(game, token.hash, self.store.now()) for token in callers]
        own = [move for found in moves for move in found.game]
        ending = generator.random() < 0.1  # games of bots alone have little to tell
        others = [
            move
            for found in moves
            for move in found.table
            if not isinstance(move.command, (Abandon, HandOver))
            and (ending or not isinstance(move.command, (Resign, GiveToBot)))
        ]
        chosen = own if own and generator.random() >= table_share else others
        move = generator.choice(chosen or own)
        return self.send(game, move.seat, move.command).game

    def play_out(self, game: Game, generator: random.Random, table_share: float = 0.1) -> Game:
        """Plays at random until play has ended, and lets the result be told."""
        for _ in range(3_000):
            if game.table.status != "playing":
                break
            game = self.step(game, generator, table_share)
        if game.table.status == "scoring":
            game = self.command_handler.append_result(game, "score").game
        assert game.table.status in ("finished", "abandoned")
        return game
