"""Analyses: advice on what a bot would do in a seat's place (T-9), requested, computed, kept.

A request waits in the store beside its game, under an id that follows from the question, together
with the due work of computing it: the same question has one result, and a worker that dies loses
nothing. Nothing of it enters the game's stream, and all of it is forgotten after an hour.
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

LIFETIME: Final = due_work.HOUR
"""How long (ms) a question waits, and how long its result is kept."""

LEASE: Final = 15_000
"""For how long (ms) the worker that computes an analysis has it to itself."""

MAX_ATTEMPTS: Final = 3
"""An analysis fails after so many attempts that ended with the worker."""

MAX_OPEN: Final = 4
"""How many analyses of one client may wait at a time."""


class TooManyOpenAnalyses(CommandError):
    """The client has as many analyses waiting as it may."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is requested: the level, how many commands, the seat (None: the caller's that must act),

    the version (None: the newest).
    """

    level: str
    top: int
    seat: int | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A command as plain data with its prospects: the expected points by seat, the probability

    (0 … 1) that the seat wins; `visits` is how often the search tried it.
    """

    command: Mapping[str, Plain]
    points: tuple[float, ...]
    win: float
    visits: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question with its result. `hash` (hexadecimal) is the game's at the version.

    `ranked` are the commands considered, best first, none twice; `line` is the best one with those
    that go together with it. `until` is when (ms since 1970) all this is forgotten. `request` is
    the id of the first request for it, for logs alone.
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
    """Stores a question for a worker. Returns the analysis, and whether it existed before.

    Raises `NotVisible` for who may not read the game, `Forbidden` for who does not hold the seat,
    `RuleViolation` where the table gives no advice (T-9) or the seat could not act, `UnknownGame`
    for a version that does not exist, `Stale`, `KeyReused`, `TooManyOpenAnalyses`, and as the store
    does.
    """
    store, key = command_handler.store, request.store_key
    loaded = command_handler.repository.load(game_id, None if key is None else key.name)
    newest = loaded.game
    if not authorization.may_read(newest.table, request.caller):
        raise NotVisible(game_id)
    if loaded.key_use is not None:
        raise KeyReused
    earlier = None if key is None else _earlier_use(store, game_id, key)
    if earlier is not None:
        seat, version = earlier
        question = replace(question, seat=seat, version=version)
    elif request.condition is not None and not request.condition(newest):
        raise Stale(newest)
    game = newest
    if question.version not in (None, newest.version):
        game = command_handler.repository.load_version(game_id, question.version)
    seat = _advised_seat(newest, game, question.seat, request.caller)
    facts = (str(game.version), str(seat), question.level, str(question.top))
    analysis_id = _derived_id(game_id, "analysis", *facts)
    present = _load(store, analysis_id)
    valid = present is not None and present.hash == game.hash.hex() and present.status != "failed"
    if not valid:
        _take_place(store, request.caller or "", analysis_id)
    if key is not None and not (valid and earlier):
        use = orjson.dumps([key.fingerprint, seat, game.version])
        store.put_temporary(_derived_id(game_id, "key", key.name), use, LIFETIME)
    if present is not None and valid:
        return present, True
    wanted = Analysis(
        analysis_id,
        game_id,
        game.version,
        game.hash.hex(),
        seat,
        question.level,
        question.top,
        loaded.now + LIFETIME,
        request=tracing.current_request(),
    )
    store.put_temporary(
        analysis_id, _pack(wanted), LIFETIME, kind=due_work.ANALYSIS, due_at=loaded.now
    )
    return wanted, False


def get_analysis(
    command_handler: CommandHandler, game_id: str, analysis_id: str, caller: str | None
) -> Analysis:
    """Returns how far an analysis of a game is.

    Raises `NotVisible` for all but who holds its seat, and once it is forgotten; and as the
    repository does.
    """
    game = command_handler.repository.load(game_id).game
    found = _load(command_handler.store, analysis_id)
    if found is None or found.game != game_id:
        raise NotVisible(analysis_id)
    if found.seat not in authorization.seats_of(game.table, caller):
        raise NotVisible(analysis_id)
    return found


def start_analysis(store: Store, analysis_id: str) -> Analysis | None:
    """Returns the analysis that a worker takes on, with its lease from now on; None where nothing

    waits any more.
    """
    wanted = _load(store, analysis_id)
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
        analysis_id, _pack(wanted), left, kind=due_work.ANALYSIS, due_at=now + LEASE
    )
    return wanted


def complete_analysis(
    store: Store,
    wanted: Analysis,
    simulations: int,
    ranked: Sequence[Choice],
    line: Sequence[Mapping[str, Plain]],
) -> Analysis:
    """Stores an analysis' result, with as many choices as were requested. Returns it."""
    done = replace(
        wanted,
        status="done",
        simulations=simulations,
        ranked=tuple(ranked[: wanted.top]),
        line=tuple(line),
    )
    return _store_result(store, done)


def fail_analysis(store: Store, wanted: Analysis) -> Analysis:
    """Stores that an analysis failed; it may be requested again. Returns it."""
    return _store_result(store, replace(wanted, status="failed"))


def _store_result(store: Store, found: Analysis) -> Analysis:
    stored = replace(found, until=store.now() + LIFETIME)
    store.put_temporary(found.id, _pack(stored), LIFETIME, kind=due_work.ANALYSIS)
    return stored


def _advised_seat(newest: Game, game: Game, seat: int | None, caller: str | None) -> int:
    """Returns the seat that is advised, at a version at which it had to act.

    Who holds the seat follows from the newest version, all else from the one in question. Raises
    `Forbidden` or `RuleViolation` (T-9).
    """
    own_seats = authorization.seats_of(newest.table, caller)
    to_act = game.to_act()
    if seat is None and own_seats:
        seat = next((each for each in own_seats if each in to_act), own_seats[0])
    if seat is None or seat not in own_seats:
        raise Forbidden("the token holds no such seat")
    if not newest.table.created.advice:  # T-9
        raise RuleViolation("no_advice", "T-9", "No advice is given at this table.")
    table_decide.check_may_play(game.table, Actor(seat))
    if not game.at_append_end:
        raise RuleViolation(
            "in_progress", "T-9", "Nobody could act at version {version}.", version=game.version
        )
    if seat not in to_act:
        raise RuleViolation(
            "not_awaited", "T-9", "The game does not wait for seat {seat}.", seat=seat
        )
    return seat


def _earlier_use(store: Store, game_id: str, key: IdempotencyKey) -> tuple[int, int] | None:
    """Returns the seat and version that a key was used for; None where it is new.

    Raises `KeyReused` where it was used for another request.
    """
    held = store.get_temporary(_derived_id(game_id, "key", key.name))
    if held is None:
        return None
    fingerprint, seat, version = orjson.loads(held)
    if fingerprint != key.fingerprint:
        raise KeyReused
    return seat, version


def _take_place(store: Store, client: str, analysis_id: str) -> None:
    """Takes one of the client's `MAX_OPEN` places; one whose analysis no longer waits is free.

    Raises `TooManyOpenAnalyses`. Simultaneous requests may take the same place: the limit is
    approximate.
    """
    for number in range(MAX_OPEN):
        place = ids.derive_id(f"analyses\0{client}\0{number}")
        if store.put_temporary(place, analysis_id.encode(), LIFETIME, only_if_absent=True):
            return
        taken = (store.get_temporary(place) or b"").decode()
        other = _load(store, taken) if taken else None
        if other is None or other.status != "waiting":
            store.put_temporary(place, analysis_id.encode(), LIFETIME)
            return
    raise TooManyOpenAnalyses


def _derived_id(game_id: str, *facts: str) -> str:
    """Returns an id derived from a game and facts, in the game's partition."""
    return partition(game_id) + ids.derive_id("\0".join((game_id, *facts)))[1:]


def _load(store: Store, analysis_id: str) -> Analysis | None:
    held = store.get_temporary(analysis_id)
    if held is None or not held.startswith(_MARK):
        return None
    members: Any = orjson.loads(held.removeprefix(_MARK))
    ranked = tuple(
        Choice(**{**each, "points": tuple(each["points"])}) for each in members["ranked"]
    )
    return Analysis(**{**members, "ranked": ranked, "line": tuple(members["line"])})


def _pack(found: Analysis) -> bytes:
    return _MARK + orjson.dumps(asdict(found))


_MARK: Final = b"analysis "
"""Distinguishes an analysis from other data held under an id."""
