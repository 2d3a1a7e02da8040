"""Advice (T-9): what a bot would do in a seat's place; asked for, thought out, told for a while.

What was asked waits in the store beside its game, under an id that follows from the question, with
the work of thinking it out; so the same question has one answer, and a worker that dies loses
nothing. Nothing of it enters the game's stream, and nothing of it lasts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import orjson

from ..rules.plain import Plain
from ..rules.ruleset import RuleViolation
from ..store import IdempotencyKey, Store, partition
from . import authorization, due_work, ids, tracing
from .commands.errors import CommandError, Forbidden, KeyReused, NotVisible, Stale
from .commands.handler import CommandHandler
from .commands.requests import RequestContext
from .game import Game
from .table import decide as table_decide
from .table.state import Actor

Status = Literal["waiting", "done", "failed"]

KEPT: Final = due_work.HOUR
"""How long (ms) a question waits, and how long its answer is told."""

LEASE: Final = 15_000
"""How long (ms) a question is left to the worker that thinks about it."""

MAX_ATTEMPTS: Final = 3
"""A question that ended so many workers has failed."""

MAX_OPEN: Final = 4
"""So many questions of a client may wait at a time."""


class TooManyOpenAnalyses(CommandError):
    """As many questions of the client wait as may."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: for which seat (None: the caller's that must act), of which level, how many

    commands, at which version (None: the newest).
    """

    level: str
    top: int
    seat: int | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A command as plain data, with what may be expected after it: points by seat, the chance

    (0 … 1) that the seat wins; `visits` is how often the search tried it.
    """

    command: Mapping[str, Plain]
    points: tuple[float, ...]
    win: float
    visits: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question with its answer. `hash` (hexadecimal) is the game's at the version.

    `ranked` are the commands looked at, best first, none twice; `line` is the first of them with
    those that go together with it. `until` is when (ms) all this is forgotten. `request` is the id
    of the request that asked first, for logs alone.
    """

    id: str
    game: str
    version: int
    hash: str
    seat: int
    level: str
    top: int
    until: int
    status: Status = "waiting"
    attempts: int = 0
    simulations: int | None = None
    ranked: tuple[Choice, ...] = ()
    line: tuple[Mapping[str, Plain], ...] = ()
    request: str | None = None


def request_analysis(
    command_handler: CommandHandler, game_id: str, question: Question, request: RequestContext
) -> tuple[Analysis, bool]:
    """Lets a question wait for a worker. Returns it, and whether it had been asked before.

    Raises `Hidden` for who may not read the game, `Forbidden` for who does not hold the seat,
    `RuleViolation` where the table gives no advice (T-9) or the seat could not act, `UnknownGame`
    for a version that does not exist, `Stale`, `KeyReused`, `TooManyOpen`, and as the store does.
    """
    store, key = command_handler.store, request.store_key
    loaded = command_handler.repository.load(game_id, None if key is None else key.name)
    newest = loaded.game
    if not authorization.may_read(newest.table, request.caller):
        raise NotVisible(game_id)
    if loaded.key_use is not None:
        raise KeyReused
    noted = None if key is None else _noted(store, game_id, key)
    if noted is not None:
        seat, version = noted
        question = replace(question, seat=seat, version=version)
    elif request.condition is not None and not request.condition(newest):
        raise Stale(newest)
    game = newest
    if question.version not in (None, newest.version):
        game = command_handler.repository.load_version(game_id, question.version)
    seat = _judged(newest, game, question.seat, request.caller)
    facts = (str(game.version), str(seat), question.level, str(question.top))
    own = _beside(game_id, "analysis", *facts)
    known = _held(store, own)
    told = known is not None and known.hash == game.hash.hex() and known.status != "failed"
    if not told:
        _take_place(store, request.caller or "", own)
    if key is not None and not (told and noted):
        note = orjson.dumps([key.fingerprint, seat, game.version])
        store.put_temporary(_beside(game_id, "key", key.name), note, KEPT)
    if known is not None and told:
        return known, True
    wanted = Analysis(
        own,
        game_id,
        game.version,
        game.hash.hex(),
        seat,
        question.level,
        question.top,
        loaded.now + KEPT,
        request=tracing.current_request(),
    )
    store.put_temporary(own, _packed(wanted), KEPT, kind=due_work.ANALYSIS, due_at=loaded.now)
    return wanted, False


def get_analysis(
    command_handler: CommandHandler, game_id: str, analysis_id: str, caller: str | None
) -> Analysis:
    """Returns how far an analysis of a game is. Raises `Hidden` for all but who holds its seat, and

    once it is forgotten; and as the repository does.
    """
    game = command_handler.repository.load(game_id).game
    found = _held(command_handler.store, analysis_id)
    if found is None or found.game != game_id:
        raise NotVisible(analysis_id)
    if found.seat not in authorization.seats_of(game.table, caller):
        raise NotVisible(analysis_id)
    return found


def start_analysis(store: Store, analysis_id: str) -> Analysis | None:
    """Returns the question that a worker takes on, whose lease counts from now; None where nothing

    waits any more.
    """
    wanted = _held(store, analysis_id)
    if wanted is None or wanted.status != "waiting":
        store.set_due(analysis_id, due_work.ANALYSIS, None)
        return None
    now = store.now()
    wanted = replace(wanted, attempts=wanted.attempts + 1)
    if wanted.attempts > MAX_ATTEMPTS:
        fail_analysis(store, wanted)
        return None
    left = max(1, wanted.until - now)
    store.put_temporary(
        analysis_id, _packed(wanted), left, kind=due_work.ANALYSIS, due_at=now + LEASE
    )
    return wanted


def complete_analysis(
    store: Store,
    wanted: Analysis,
    simulations: int,
    ranked: Sequence[Choice],
    line: Sequence[Mapping[str, Plain]],
) -> Analysis:
    """Writes a question's answer down, as many choices as were asked for. Returns it."""
    done = replace(
        wanted,
        status="done",
        simulations=simulations,
        ranked=tuple(ranked[: wanted.top]),
        line=tuple(line),
    )
    return _settled(store, done)


def fail_analysis(store: Store, wanted: Analysis) -> Analysis:
    """Writes down that a question has no answer; it may be asked again. Returns it."""
    return _settled(store, replace(wanted, status="failed"))


def _settled(store: Store, found: Analysis) -> Analysis:
    settled = replace(found, until=store.now() + KEPT)
    store.put_temporary(found.id, _packed(settled), KEPT, kind=due_work.ANALYSIS)
    return settled


def _judged(newest: Game, game: Game, seat: int | None, caller: str | None) -> int:
    """Returns the seat that advice is given to, at a version at which it had to act.

    Whose the seat is follows from the newest version, all else from the one asked about.
    """
    own = authorization.seats_of(newest.table, caller)
    acting = game.to_act()
    if seat is None and own:
        seat = next((each for each in own if each in acting), own[0])
    if seat is None or seat not in own:
        raise Forbidden("the token holds no such seat")
    if not newest.table.created.advice:  # T-9
        raise RuleViolation("no_advice", "T-9", "No advice is given at this table.")
    table_decide.check_may_play(game.table, Actor(seat))
    if not game.at_append_end:
        raise RuleViolation(
            "in_progress", "T-9", "Nobody could act at version {version}.", version=game.version
        )
    if seat not in acting:
        raise RuleViolation(
            "not_awaited", "T-9", "The game does not wait for seat {seat}.", seat=seat
        )
    return seat


def _noted(store: Store, game_id: str, key: IdempotencyKey) -> tuple[int, int] | None:
    """Returns the seat and version that a key was used for."""
    held = store.get_temporary(_beside(game_id, "key", key.name))
    if held is None:
        return None
    fingerprint, seat, version = orjson.loads(held)
    if fingerprint != key.fingerprint:
        raise KeyReused
    return seat, version


def _take_place(store: Store, client: str, analysis_id: str) -> None:
    """Takes one of the client's places for questions that wait; one whose question no longer does

    is free. Raises `TooManyOpen`. Of requests at the same moment two may take one place: the
    bound is kept, give or take.
    """
    for number in range(MAX_OPEN):
        place = ids.derive_id(f"analyses\0{client}\0{number}")
        if store.put_temporary(place, analysis_id.encode(), KEPT, only_if_absent=True):
            return
        taken = (store.get_temporary(place) or b"").decode()
        other = _held(store, taken) if taken else None
        if other is None or other.status != "waiting":
            store.put_temporary(place, analysis_id.encode(), KEPT)
            return
    raise TooManyOpenAnalyses


def _beside(game_id: str, *facts: str) -> str:
    """Returns an id that follows from a game and facts, in the game's partition."""
    return partition(game_id) + ids.derive_id("\0".join((game_id, *facts)))[1:]


def _held(store: Store, analysis_id: str) -> Analysis | None:
    held = store.get_temporary(analysis_id)
    if held is None or not held.startswith(_MARK):
        return None
    told: Any = orjson.loads(held.removeprefix(_MARK))
    ranked = tuple(Choice(**{**each, "points": tuple(each["points"])}) for each in told["ranked"])
    return Analysis(**{**told, "ranked": ranked, "line": tuple(told["line"])})


def _packed(found: Analysis) -> bytes:
    return _MARK + orjson.dumps(asdict(found))


_MARK: Final = b"analysis "
"""Tells an analysis from what else may be kept under an id."""
