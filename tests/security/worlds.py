"""Two worlds that differ in nothing but what is still to be drawn.

Tokens, keys, times and random names are the same in both. A game's chance is another one in each:
its seed, or what its arranged outcomes go on with; but every draw so far came out alike. Whatever
anybody can learn of a game must then be the same, byte for byte. What can't be the same without
showing the chance itself is masked, and named here: commitments and what the hash chain over the
sealed seed leads to.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.app import install_services
from service.config import Settings
from service.games import due_work
from service.games.tokens import Token, claim_code, watch_code
from service.rules.chance import SEED_BYTES, Chance, FreeChance, SealedChance, sealed_value
from service.rules.ruleset import AnyRuleset, run, start
from service.store import MemoryStore
from tests.api.conftest import FREE, Clock
from tests.workers.receiver import Receiver
from workers import analyses, bot_sandbox, bots, jobs
from workers.context import WorkerContext, build_context
from workers.webhooks import delivery as webhook_delivery

HOST: Final = Token("bl_" + "h" * 43)
STRANGER: Final = Token("bl_" + "s" * 43)
SECRET: Final = "whsec_" + "A" * 32
WRONG: Final = "bc_" + "w" * 43

MASKED: Final = re.compile(
    rb'("commitment":")[0-9a-f]{64}|(ETag: (?:W/)?"[0-9]{1,10}-)[0-9a-f]{16}|("ms":)[0-9]+'
)
"""Commitments; the part of entity tags that comes from the hash chain; how long a call took."""


def seat_token(seat: int) -> Token:
    """The token of who plays a seat."""
    return Token("bl_" + str(seat) * 43)


class World:
    """An application with a store, a clock that stands, and one game. `name` is all that differs.

    `outcomes` arranges the chance; None: it is sealed.
    """

    def __init__(
        self,
        app: Flask,
        name: str,
        ruleset: AnyRuleset,
        outcomes: list[str | int] | None,
        receiver: Receiver,
    ) -> None:
        self.app = app
        self.client = app.test_client()
        self.name = name
        self.ruleset = ruleset
        self.receiver = receiver
        self.store = MemoryStore(Clock())
        self.seeds: list[bytes] = []
        self._names = 0
        self._outcomes = outcomes
        self.game = ""
        self.hook = ""

    def token_bytes(self, size: int | None = None) -> bytes:
        """Stands for the system's random bytes: seeds are the world's own, all else is alike."""
        self._names += 1
        if size == SEED_BYTES:
            self.seeds.append(hashlib.sha256(f"{self.name} {self._names}".encode()).digest())
            return self.seeds[-1]
        return hashlib.sha512(str(self._names).encode()).digest()[: size or 32]

    def enter(self) -> None:
        """Lets the application work on this world's store."""
        install_services(self.app, replace(FREE, hooks_local=True), self.store)

    def context(self) -> WorkerContext:
        """The workers' part of this world."""
        return build_context(self.store, Settings(hooks_local=True))

    def ask(
        self, who: Token | str, method: str, path: str, body: Any = None, **headers: str
    ) -> TestResponse:
        """Sends a request."""
        token = who.text if isinstance(who, Token) else who
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": f"Bearer {token}", "X-Request-Id": "r"}
        return self.client.open(path, method=method, json=body, headers=sent)

    def lay(self) -> None:
        """Lays the game, adds a webhook, seats everybody: with the last claim all is set up."""
        count = min(self.ruleset.seats)
        body: dict[str, Any] = {
            "ruleset": self.ruleset.id,
            "seats": [{"kind": "human"}] * count,
            "visibility": "private",
        }
        if self._outcomes is not None:
            body["chance"] = {"outcomes": self._outcomes}
        made = self.ask(HOST, "POST", "/v1/games", body, Idempotency_Key="lay")
        assert made.status_code == 201, made.data
        self.game = (made.json or {})["game"]["id"]
        hook = self.ask(
            HOST,
            "POST",
            f"{self.path}/webhooks",
            {"url": self.receiver.url, "secret": SECRET},
            Idempotency_Key="hook",
        )
        assert hook.status_code == 201, hook.data
        self.hook = (hook.json or {})["webhook"]["id"]
        for seat in range(count):
            claim = {"claim_code": claim_code(HOST, self.game, seat, 0), "name": f"seat {seat}"}
            taken = self.ask(seat_token(seat), "POST", f"{self.path}/seats/{seat}", claim)
            assert taken.status_code == 201, taken.data

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game}"

    @property
    def version(self) -> int:
        return self.context().command_handler.repository.load(self.game).game.version

    def readers(self) -> dict[str, Token | str]:
        """Who may read the private game, by what they are."""
        seats = {f"seat {seat}": seat_token(seat) for seat in range(min(self.ruleset.seats))}
        return {"host": HOST, "watcher": watch_code(HOST, self.game), **seats}

    def next_draw(self) -> int:
        """What the game's own chance would bring next, as a large number, or what it goes on with.

        Asked outside `alike`.
        """
        game = self.context().command_handler.repository.load(self.game).game
        if self._outcomes is None:
            return game.chance().number(2**40)
        rest = self._outcomes[game.table.next_draw :]
        return int.from_bytes(hashlib.sha256(json.dumps(rest).encode()).digest()[:5], "big")


@contextmanager
def alike(patch: pytest.MonkeyPatch, world: World, first: World) -> Iterator[None]:
    """Lets a world's seeds bring what the first world's bring, one for one."""

    def value(self: SealedChance, bound: int) -> int:
        twins = dict(zip(world.seeds, first.seeds, strict=False))
        return sealed_value(twins[self._seed], self._prefix, self.next_index, bound)

    with patch.context() as forced:
        forced.setattr(secrets, "token_bytes", world.token_bytes)
        forced.setattr(SealedChance, "_value", value)
        # A search that its clock ends differs with the machine's speed, not with the chance.
        forced.setattr(analyses, "time", SimpleNamespace(monotonic=bots.stopped_clock))
        forced.setattr(bot_sandbox, "MARGIN", 60.0)
        world.enter()
        yield


class Noting(FreeChance):
    """Draws freely, and notes what came in the form of arranged outcomes."""

    def __init__(self, generator: random.Random) -> None:
        super().__init__(generator)
        self.outcomes: list[str | int] = []

    def number(self, bound: int) -> int:
        found = super().number(bound)
        self.outcomes.append(found)
        return found

    def pick(self, ids: Any, counts: Any) -> int:
        found = Chance.pick(self, ids, counts)
        del self.outcomes[-1:]  # a pick is made of a number
        self.outcomes.append(ids[found])
        return found


def arrangement(ruleset: AnyRuleset, moves: int, generator: random.Random) -> list[str | int]:
    """Returns outcomes for the set-up, and for so many of each seat's first legal moves."""
    chance = Noting(generator)
    state, _ = start(ruleset, min(ruleset.seats), ruleset.options(), chance)
    for _ in range(moves):
        if not ruleset.to_act(state):
            break
        seat = ruleset.to_act(state)[0]
        run(ruleset, state, seat, ruleset.legal(state, seat)[0], chance)
    return chance.outcomes


Shown = Iterator[tuple[str, bytes]]


def shown(answer: TestResponse) -> bytes:
    """An answer as it goes over the wire, its size included, but for what is masked."""
    body = masked(answer.data)
    if answer.data:
        assert answer.headers["Content-Length"] == str(len(answer.data))
        answer.headers["Content-Length"] = str(len(body))
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers)
    return masked(f"{answer.status}\n{head}\n\n".encode()) + body


def masked(data: bytes) -> bytes:
    """Bytes without what shows the chance itself, or the clock on the wall."""
    return MASKED.sub(lambda found: (found[1] or found[2] or found[3]) + b"#", data)


def reading(world: World) -> Shown:
    """All that can be read of the game, for everybody who may, at its version and earlier ones."""
    version = world.version
    for name, who in world.readers().items():
        for path in (
            world.path,
            f"{world.path}/moves",
            f"{world.path}/moves?ranges=true&lang=fr",
            f"{world.path}/events?limit=500",
            f"{world.path}/score",
            f"{world.path}/score?lang=pt",
            f"{world.path}/board.svg?moves=true",
            f"{world.path}/record",
            *(f"{world.path}?version={each}" for each in range(max(1, version - 3), version + 2)),
            f"{world.path}/moves?version={version - 1}",
            f"{world.path}/board.svg?version={version - 1}",
            f"{world.path}/webhooks",
            f"{world.path}/webhooks/{world.hook}",
            f"{world.path}/webhooks/{world.hook}/deliveries",
            "/v1/turns",
            "/v1/games?mine=true",
        ):
            yield f"{name} reads {path}", shown(world.ask(who, "GET", path))
        for path in (world.path, f"{world.path}/board.svg"):
            yield f"{name}: HEAD of {path}", shown(world.ask(who, "HEAD", path))
    for path in (world.path, f"{world.path}/events", "/v1/games", "/v1/turns"):
        yield f"a stranger reads {path}", shown(world.ask(STRANGER, "GET", path))


def streams(world: World) -> Shown:
    """The event streams, up to the game's version."""
    version = world.version
    for path, last in ((f"{world.path}/events", b"id: %d\n" % version), ("/v1/turns", b"data: ")):
        answer = world.client.get(
            path,
            headers={
                "Authorization": f"Bearer {seat_token(0).text}",
                "Accept": "text/event-stream",
                "X-Request-Id": "r",
            },
        )
        told = b""
        with closing(answer):
            for part in answer.response:
                told += bytes(part)  # type: ignore[arg-type]
                if last in told:
                    break
        yield f"stream of {path}", masked(f"{answer.headers}".encode() + told)


def tries(world: World) -> Shown:
    """Dry runs of what is legal: the game's commands and the table's, endings among them."""
    for name, who in world.readers().items():
        listed = world.ask(who, "GET", f"{world.path}/moves").json or {}
        for move in (*listed["moves"][:6], *listed["table"]):
            body = {"seat": move["seat"], "command": move["command"]}
            tried = world.ask(who, "POST", f"{world.path}/commands?dry_run=true", body)
            yield f"{name} tries {body}", shown(tried)


def problems(world: World) -> Shown:
    """Everything that is refused, for whatever reason."""
    path = f"{world.path}/commands"
    own = seat_token(0)
    listed = world.ask(own, "GET", f"{world.path}/moves").json or {}
    known = world.ruleset.commands
    found = [each["command"] for each in listed["moves"]]
    bodies: list[tuple[str, Any, dict[str, str]]] = [
        ("stale", {"command": {"type": "resign"}}, {"If_Match": '"1-0000000000000000"'}),
        ("nothing known", {"command": {"type": "peek"}}, {}),
        ("misshapen", {"command": {"type": next(iter(known)), "seed": 1}}, {}),
        ("not now", {"command": {"type": "accept_undo"}}, {}),
        ("nobody's seat", {"seat": 7, "command": {"type": "resign"}}, {}),
        ("a batch of the same", {"commands": [*found[:1] * 32]}, {}),
    ]
    for name, body, headers in bodies:
        answer = world.ask(own, "POST", path, body, **headers)
        assert answer.status_code >= 400, name
        yield f"problem: {name}", shown(answer)
    for name, tail, body in (
        ("a rematch too early", "/rematch", {}),
        ("a wrong code", "/seats/0", {"claim_code": WRONG, "name": "Eve"}),
        ("a version to come", "/forks", {"version": world.version + 1}),
    ):
        answer = world.ask(own, "POST", world.path + tail, body)
        assert answer.status_code >= 400, name
        yield f"problem: {name}", shown(answer)


def forks(world: World) -> Shown:
    """A branch laid from here, and what can be read of it before it draws."""
    key = f"fork-{world.version}"
    made = world.ask(STRANGER, "POST", f"{world.path}/forks", {}, Idempotency_Key=key)
    yield "a stranger's branch", shown(made)
    made = world.ask(HOST, "POST", f"{world.path}/forks", {}, Idempotency_Key=key)
    assert made.status_code == 201, made.data
    yield "the branch", shown(made)
    path = f"/v1/games/{(made.json or {})['game']['id']}"
    for tail in ("", "/events", "/moves", "/score", "/board.svg"):
        yield f"the branch's {tail}", shown(world.ask(HOST, "GET", path + tail))
    yield "the branch goes", shown(world.ask(HOST, "DELETE", path))


def told_hooks(world: World) -> Shown:
    """What the webhook is told of what happened since it was told last."""
    world.receiver.got.clear()
    webhook_delivery.deliver(world.context(), world.game, world.hook)
    for got in world.receiver.got:
        yield f"webhook {got.told['type']}", got.id.encode() + masked(got.body)


def advice(world: World) -> Shown:
    """What a bot advises each seat: asked, thought out by a worker, told."""
    for seat in range(min(world.ruleset.seats)):
        who = seat_token(seat)
        asked = world.ask(who, "POST", f"{world.path}/analyses", {"top": 20})
        yield f"seat {seat} asks for advice", shown(asked)
        if asked.status_code == 202:
            analysis = (asked.json or {})["id"]
            assert jobs.do_work(world.context(), due_work.ANALYSIS, analysis)
            told = world.ask(who, "GET", f"{world.path}/analyses/{analysis}")
            assert (told.json or {})["status"] == "done"
            yield f"advice for seat {seat}", shown(told)


def owed(world: World) -> Shown:
    """What is written down as to be done: it names jobs, which go through another server."""
    yield "what is due", repr(world.store.lease_due(world.game[0], {}, 100).work).encode()


REPRESENTATIONS: Final[tuple[Callable[[World], Shown], ...]] = (
    reading,
    streams,
    tries,
    problems,
    forks,
    told_hooks,
    advice,
    owed,
)
"""Every form in which something of a game leaves the service. A new one is added here."""

SLOW: Final = (advice,)
"""Those that are left to the long run."""

__all__ = ["REPRESENTATIONS", "SLOW", "World", "alike", "arrangement"]
