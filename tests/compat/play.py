"""Adds the present version's streams to the corpus: `python -m tests.compat.play`.

Plays games of every ruleset until all that can happen has happened (or would take too long), and
tables on which all that a table can do is done. Does nothing where the version has a folder.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
from pathlib import Path
from typing import Any
from unittest import mock

from service.games.commands import tournaments
from service.games.commands.branching import ForkRequest, create_fork
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.records import archive as archives
from service.games.table.clocks import Deadline
from service.games.table.commands import (
    Abandon,
    AcceptUndo,
    GiveToBot,
    HandOver,
    Leave,
    RefuseUndo,
    Resign,
    Undo,
)
from service.games.table.events import SeatPlan
from service.rules.ruleset import AnyRuleset, rulesets
from service.store import MemoryStore
from tests.games.play import HOST, Clock, House, person
from workers.bots import random_level

from .streams import CORPUS, known

TRIES = 40
"""Games of a ruleset that are played in search of events not seen yet."""


class Scribe:
    """Plays games and keeps those that show something."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = Clock()
        self.context = House(MemoryStore(self.clock), folder=folder)
        self.games: dict[str, Any] = {}
        self.seen: set[str] = set()

    def types(self, game: Game) -> set[str]:
        """The types of a game's events."""
        return {entry.type for entry in self.context.store.read(game.id).entries}

    def keep(self, game: Game, about: str) -> None:
        """Puts a game that is over into the corpus."""
        self.seen |= self.types(game)
        newest = self.context.newest(game)
        self.games[game.id] = known(newest, about, self.folder.name)
        assert archives.archive_game(self.context.store, newest, self.folder) is not None

    # What is played

    def move(self, game: Game, generator: random.Random) -> Game:
        """Makes one move of the game: mostly sensible ones, now and then any."""
        seat = generator.choice(game.to_act())
        if generator.random() < 0.8:
            command = random_level.choose(game.ruleset, game.state, seat, generator)
        else:
            listed = game.ruleset.legal(game.state, seat)
            wanted = generator.choice(sorted({command.type for command in listed}))
            command = generator.choice([each for each in listed if each.type == wanted])
        self.clock.now += generator.randint(100, 5_000)
        if game.table.seats[seat].bot:
            return self.context.command_handler.play_bot(seat, command, game, "random").game
        return self.context.send(game, seat, command).game

    def moves(self, game: Game, generator: random.Random, count: int = 100_000) -> Game:
        """Makes so many moves, fewer if play ends; then the result is told."""
        for _ in range(count):
            if not game.to_act():
                break
            game = self.move(game, generator)
        if game.table.status == "scoring":
            game = self.context.command_handler.append_result(game, "worker").game
        return game

    def play_all(self, ruleset: AnyRuleset) -> None:
        """Keeps a game for each number of seats, and such in which something new happens."""
        for number in range(TRIES):
            generator = random.Random(number)
            seats = ruleset.seats[number % len(ruleset.seats)]
            game = self.context.seated(*[None] * seats, ruleset=ruleset)
            game = self.moves(game, generator)
            fresh = self.types(game) - self.seen
            if number < len(ruleset.seats) or fresh:
                about = f"a whole game of {ruleset.id} for {seats}"
                self.keep(game, about + (f"; first {', '.join(sorted(fresh))}" if fresh else ""))

    def play_table(self, ruleset: AnyRuleset) -> None:
        """Keeps tables of a ruleset on which all happens that is a table's affair."""
        context, generator = self.context, random.Random(ruleset.id)
        two = [None] * min(ruleset.seats)

        laid = context.lay(*two, ruleset=ruleset, visibility="private")
        game = context.claim(laid.game, 0, laid.codes[0]).game
        left = context.send(game, 0, Leave())
        game = context.claim(left.game, 0, left.codes.get(0) or laid.codes[0]).game
        for seat in range(1, len(two)):
            game = context.claim(game, seat, laid.codes[seat]).game
        game = self.moves(game, generator, 3)
        code = context.send(game, 0, HandOver()).codes[0]
        claimed = context.command_handler.claim(
            game.id, 0, code, "somebody else", "", RequestContext(person(7))
        )
        context.command_handler.rotate_token(person(7), person(0))
        game = self.take_back(context.newest(claimed.game), generator)
        branch = create_fork(
            context.command_handler, game.id, ForkRequest(), person(0), RequestContext(person(0))
        ).game
        self.branch(branch)
        with mock.patch.object(type(ruleset), "version", ruleset.version + 1):
            game = self.move(game, generator)
        game = self.move(game, generator)
        game = context.send(game, 1, GiveToBot("easy")).game
        game = context.send(game, 0, Resign()).game
        self.keep(self.moves(game, generator), "seats left, taken, handed over, given up; undo")

        timed = context.seated(
            *two, ruleset=ruleset, deadline=Deadline("resign", per_move_seconds=60)
        )
        self.clock.now += 61_000
        seat = timed.to_act()[0]
        game = context.command_handler.expire_seat(timed, seat, "worker").game
        self.keep(self.moves(game, generator), "a seat's time runs out")

        game = self.moves(context.seated(*two, ruleset=ruleset), generator, 4)
        self.keep(context.send(game, None, Abandon()).game, "abandoned by the host")

        creation = Creation(ruleset, ruleset.options(), (SeatPlan("human"),) * len(two))
        _, tables = tournaments.create_tournament(
            context.command_handler, creation, 2, HOST, RequestContext(HOST)
        )
        over = []
        for table in tables:
            game = table.game
            for number, code in table.codes.items():
                game = context.claim(game, number, code).game
            game = context.send(self.moves(game, generator, 2), 0, Resign()).game
            over.append(self.moves(game, generator))
        for game in over:
            self.keep(
                context.command_handler.reveal_chance(game, "worker").game,
                "a table of a tournament",
            )

    def branch(self, game: Game) -> None:
        """Keeps a branch after a few moves of its own; the forker holds all its seats."""
        generator = random.Random(1)
        for _ in range(3):
            seat = game.to_act()[0]
            command = random_level.choose(game.ruleset, game.state, seat, generator)
            sent = RequestContext(person(0))
            game = self.context.command_handler.send(game.id, seat, [command], sent).game
        abandoned = self.context.command_handler.send(
            game.id, None, [Abandon()], RequestContext(person(0))
        )
        self.keep(abandoned.game, "a branch")

    def take_back(self, game: Game, generator: random.Random) -> Game:
        """Lets undo be asked for, refused, asked for again, and agreed to."""
        for answer in (RefuseUndo(), AcceptUndo()):
            for _ in range(100):
                mover = game.to_act()[0]
                command = random_level.choose(game.ruleset, game.state, mover, generator)
                game = self.context.send(game, mover, command).game
                game = self.context.send(game, mover, Undo()).game
                if game.table.take_back_request is not None:
                    break
                game = self.move(game, generator)  # it was taken back at once
            for other in range(len(game.table.seats)):
                if other != mover and game.table.take_back_request is not None:
                    game = self.context.send(game, other, answer).game
        return game


def main() -> None:
    """Writes the folder of the present version."""
    folder = CORPUS / importlib.metadata.version("bailli")
    if folder.exists():
        print(f"{folder} is there already; streams are added with a version, and never changed")
        return
    folder.mkdir(parents=True)
    scribe = Scribe(folder)
    for ruleset in rulesets().values():
        scribe.play_all(ruleset)
        scribe.play_table(ruleset)
    (folder / "games.json").write_text(json.dumps(scribe.games, indent=1) + "\n")
    print(f"{len(scribe.games)} streams with {len(scribe.seen)} types of events")


if __name__ == "__main__":
    main()
