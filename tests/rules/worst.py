"""The worst positions that a ruleset can come to, and whether every request on them is quick.

What bounds an answer is the position, so a position is laid on a real table of people, and all that
can be asked about a game is asked there. Time is the process's own, so that others on the machine
do not count.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Flask

from service.api.http.services import EXTENSION, Services
from service.app import create_app, install_services
from service.config import RATE_LIMITED, Settings
from service.games.commands.requests import Creation, RequestContext
from service.games.table.events import SeatPlan
from service.games.tokens import claim_code, new_token
from service.rules.chance import FreeChance
from service.rules.described import Command, dump_command
from service.rules.ruleset import AnyRuleset, advance, run
from service.store import MemoryStore
from workers.bots import random_level

from .laws import all_legal

MAX_SECONDS = 1.0
FREE = Settings(**{f"rate_{what}": 0 for what in RATE_LIMITED})  # type: ignore[arg-type]


def played_on(ruleset: AnyRuleset, state: Any, seed: int, most: int) -> Iterator[Any]:
    """Yields the state, and at most so many that random moves lead to; each is changed after."""
    generator = random.Random(seed)
    chance = FreeChance(generator)
    advance(ruleset, state, chance)
    for _ in range(most):
        yield state
        if ruleset.over(state):
            return
        seat = generator.choice(ruleset.to_act(state))
        command = random_level.choose(ruleset, state, seat, generator)
        run(ruleset, state, seat, command, chance)


def widest(ruleset: AnyRuleset, states: Iterable[Any]) -> tuple[Any, int]:
    """Returns a copy of the state in which most may be done, and how much that is."""
    found, most = None, -1
    for state in states:
        count = len(all_legal(ruleset, state))
        if count > most:
            found, most = ruleset.clone(state), count
    return found, most


@functools.cache
def application() -> Flask:
    """The application; describing all that it offers takes a while."""
    return create_app(FREE, MemoryStore())


class Table:
    """A game of people, all seats held by one client, who asks for everything.

    `times` has the seconds that each request took.
    """

    def __init__(self, ruleset: AnyRuleset, seats: int, options: Any = None) -> None:
        self.app = application()
        install_services(self.app, FREE, MemoryStore())
        services: Services = self.app.extensions[EXTENSION]
        self.repository, self.command_handler = services.repository, services.command_handler
        self.ruleset = ruleset
        self.token = new_token()
        self.client = self.app.test_client()
        self.times: dict[str, float] = {}
        chosen = ruleset.options() if options is None else options
        creation = Creation(ruleset, chosen, (SeatPlan("human"),) * seats)
        game = self.command_handler.create(creation, self.token, RequestContext(self.token)).game
        for seat in range(seats):
            code = claim_code(self.token, game.id, seat, 0)
            claimed = self.command_handler.claim(
                game.id, seat, code, f"seat {seat}", "", self._asked()
            )
        self.game = claimed.game.id
        self.path = f"/v1/games/{self.game}"

    def _asked(self) -> RequestContext:
        return RequestContext(self.token)

    @property
    def state(self) -> Any:
        """The state of the game; not to be changed."""
        return self.repository.load(self.game).game.state

    def put(self, state: Any) -> None:
        """Makes the newest version of the game have this state."""
        game = self.repository.load(self.game).game.clone()
        game.state = state
        self.repository.evict(self.game)
        self.repository.cache(game)

    def send(self, seat: int, command: Command) -> None:
        """Makes a move, past HTTP."""
        self.command_handler.send(self.game, seat, [command], self._asked())

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Asks, and notes how long it took. Refusals by the rules are fine, faults are not."""
        headers = {"Authorization": f"Bearer {self.token.text}"}
        begun = time.process_time()
        answer = self.client.open(path, method=method, json=body, headers=headers)
        took = time.process_time() - begun
        assert answer.status_code in (200, 201, 202, 409), answer.data
        name = f"{method} {path.replace(self.path, '')}"
        self.times[name] = max(took, self.times.get(name, 0.0))
        return answer

    def ask_everything(self) -> None:
        """Asks all that may be asked of the position, and makes the last move listed."""
        for path in ("", "/moves", "/moves?ranges=true", "/moves?lang=pt", "/score"):
            self.ask("GET", self.path + path)
        for path in ("/board.svg", "/board.svg?moves=true", "/events?limit=500"):
            self.ask("GET", self.path + path)
        listed = all_legal(self.ruleset, self.state)
        some = [listed[0], listed[len(listed) // 2], listed[-1]] if listed else []
        for seat, command in some:
            body = {"seat": seat, "command": dump_command(command)}
            self.ask("POST", f"{self.path}/commands?dry_run=true", body)
        for seat in range(len(self.ruleset.score(self.state).seats)):
            for _, command in some:  # most of them the wrong seat's
                self.ask("POST", f"{self.path}/commands?dry_run=true",
                         {"seat": seat, "command": dump_command(command)})  # fmt: skip
        if some:
            seat, command = some[-1]
            body = {"seat": seat, "command": dump_command(command)}
            assert self.ask("POST", f"{self.path}/commands", body).status_code == 201

    def check(self, about: str) -> None:
        """Checks that everything asked was answered in time."""
        name = max(self.times, key=lambda each: self.times[each])
        print(f"\n{about}: the slowest request took {self.times[name] * 1000:.0f} ms ({name})")
        assert self.times[name] < MAX_SECONDS, f"{name} takes {self.times[name]:.2f} s"
