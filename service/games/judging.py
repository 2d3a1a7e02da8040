"""What a request comes to: the steps it adds to a game. Pure; the game given is used up.

Each function judges on a game that the caller cloned, applies what follows and returns the steps
in order. All raise `RuleViolation` for what the rules forbid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rules.chance import Chance, NoChance, Stopped
from ..rules.plain import Command, Event
from ..rules.ruleset import Outcome, RuleViolation, Scoring, SeatScore, advance, run
from . import deadlines
from . import table as tables
from .codec import Step
from .commands import COMMANDS
from .events import Abandoned, FinalScored, GameStarted, LawChanged, SeedRevealed, Undone
from .game import Game
from .table import Moment, Party


@dataclass(frozen=True, slots=True)
class Judged:
    """The steps, and the draw at which they stopped, if they did.

    `taken_back` is the version that the game must be folded back to (T-7): its own state in the
    game that was given is then out of date.
    """

    steps: tuple[Step, ...]
    stopped: Stopped | None = None
    taken_back: int | None = None


def opened(game: Game, events: Sequence[Event]) -> Judged:
    """Judges a creation, with what stands right behind it: what it branches off from (T-12), who

    sits there already. A table that is full starts in the same append (T-1).
    """
    for event in events[1:]:
        game.apply(event)
    return _with_start(game, None, None, list(events))


def claim(game: Game, seat: int, code: str, name: str, entropy: str, token: str) -> Judged:
    """Judges a claim; `code` and `token` are hashes."""
    events = tables.decide_claim(game.table, seat, code, name, entropy, token)
    for event in events:
        game.apply(event)
    return _with_start(game, None, None, events)


def send(
    game: Game,
    party: Party,
    commands: Sequence[Command],
    now: int,
    *,
    code: str = tables.NO_CODE,
    dry: bool = False,
) -> Judged:
    """Judges one command, or several game commands of one seat, all or none.

    `code` is the hash of the claim code under which the seat would be handed over.

    In a batch no command may follow one that draws: the whole batch is refused
    ("batch_past_chance", T-11), whatever would come. The refusal of a later command names its
    place in `facts["index"]`. With `dry` the last command stops at its first draw too.
    """
    if len(commands) == 1 and commands[0].type in COMMANDS:
        return _table_command(game, party, commands[0], Moment(now, game.to_act(), code), dry=dry)
    seat = tables.check_may_play(game.table, party)
    return _play(game, seat, commands, dry=dry)


def bot(game: Game, seat: int, command: Command) -> Judged:
    """Judges a command that a bot found for a seat it plays."""
    tables.check_bot(game.table, seat)
    return _play(game, seat, [command])


def expired(game: Game, seat: int, now: int) -> Judged:
    """Lets what was chosen for this follow when a seat's time has run out (T-8).

    A pass is the seat's command in the record, and yet nobody's decision: its step names no seat.
    """
    command = _passing(game, seat)
    events = tables.decide_expiry(game.table, seat, now, passing=command is not None)
    for event in events:
        game.apply(event)
    if command is None:
        return Judged((Step(None, None, (), tuple(events)),), None, _taken_back(events))
    passed, stopped = _game_command(game, seat, command, free=True)
    events += passed.events
    if stopped:
        events.append(_exhausted(game))
        tables.evolve(game.table, events[-1])
    return Judged((Step(None, command, passed.draws, tuple(events)),), stopped)


def _passing(game: Game, seat: int) -> Command | None:
    """Returns the first legal command by which the seat would pass, None where there is none or

    something else was chosen.
    """
    deadline = game.table.created.deadline
    if deadline is None or deadline.on_expiry != deadlines.PASSING or seat not in game.to_act():
        return None
    legal = game.ruleset.legal(game.law, seat)
    return next((command for command in legal if command.type in game.ruleset.passes), None)


def _play(game: Game, seat: int, commands: Sequence[Command], *, dry: bool = False) -> Judged:
    steps: list[Step] = []
    stopped = None
    for index, command in enumerate(commands):
        if stopped:
            raise RuleViolation(
                "batch_past_chance", "T-11", "A command of a batch may not follow a draw."
            )
        try:
            step, stopped = _game_command(
                game, seat, command, free=not dry and index == len(commands) - 1
            )
        except RuleViolation as refusal:
            refusal.facts["index"] = index
            raise
        steps.append(step)
    if stopped and not dry:
        last = steps.pop()
        steps.append(last._replace(events=(*last.events, _exhausted(game))))
        tables.evolve(game.table, steps[-1].events[-1])
    return Judged(tuple(steps), stopped)


def _game_command(
    game: Game, seat: int, command: Command, *, free: bool
) -> tuple[Step, Stopped | None]:
    tables.check_playing(game.table)
    if command.type in COMMANDS:
        raise RuleViolation("batch_table_command", "T-11", "A table's command is sent alone.")
    chance = game.chance() if free else NoChance(game.table.next_draw)
    outcome = run(game.ruleset, game.law, seat, command, chance)
    for event in outcome.events:
        tables.evolve(game.table, event)
    return Step(seat, command, outcome.draws, outcome.events), outcome.stopped


def under_the_law(game: Game) -> tuple[Step, ...]:
    """Returns the step which says that a game goes on under another version of its ruleset."""
    version = game.ruleset.version
    if game.table.law == version or game.table.status in (tables.FINISHED, tables.ABANDONED):
        return ()
    return told_to(game, LawChanged(version)).steps


def scored(game: Game) -> Judged:
    """Appends the result of a game whose play has ended."""
    event = FinalScored(
        result(game).plain(),
        game.table.resigned,
        game.table.shown,
        game.table.law_ended,
    )
    return told_to(game, event)


def result(game: Game) -> Scoring:
    """Returns the score now, ranks by the table (T-2). Needs a game that has started."""
    return resigned_last(game.ruleset.score(game.law), game.table.resigned)


def resigned_last(scoring: Scoring, resigned: Sequence[int]) -> Scoring:
    """Returns the scoring with the seats that resigned ranked last, together (T-2)."""
    if not resigned:
        return scoring
    keys = [
        (number not in resigned, -seat.rank if number not in resigned else 0)
        for number, seat in enumerate(scoring.seats)
    ]
    return Scoring(
        scoring.final,
        tuple(
            SeatScore(
                seat.total, 1 + sum(other > key for other in keys), seat.items, seat.tie_breaks
            )
            for seat, key in zip(scoring.seats, keys, strict=True)
        ),
    )


def abandoned(game: Game, reason: str) -> Judged:
    """Ends a game without a winner (T-3): "idle", "expired"."""
    return told_to(game, Abandoned(reason, game.table.shown))


def revealed(game: Game) -> Judged:
    """Shows what was sealed of a tournament's chance at one of its tables (T-14)."""
    return told_to(game, SeedRevealed(game.table.created.sealed_chance))


def told_to(game: Game, event: Event) -> Judged:
    """Lets an event of the table happen that nobody's command caused."""
    game.apply(event)
    return Judged((Step(None, None, (), (event,)),))


def _table_command(
    game: Game, party: Party, command: Command, moment: Moment, *, dry: bool
) -> Judged:
    events = tables.decide(game.table, party, command, moment)
    for event in events:
        game.apply(event)
    seat = None if party.host else party.seat
    judged = _with_start(game, seat, command, events, dry=dry)
    return Judged(judged.steps, judged.stopped, _taken_back(events))


def _taken_back(events: Sequence[Event]) -> int | None:
    return next((event.to_version for event in events if isinstance(event, Undone)), None)


def _with_start(
    game: Game, seat: int | None, command: Command | None, events: list[Event], *, dry: bool = False
) -> Judged:
    """Lets the table start by itself and the set-up follow, in the same step."""
    following = tables.proceed(game.table)
    for event in following:
        game.apply(event)
    events = [*events, *following]
    outcome = Outcome((), ())
    if any(isinstance(event, GameStarted) for event in events):
        chance: Chance = NoChance() if dry else game.chance()
        outcome = advance(game.ruleset, game.law, chance)
        set_up = list(outcome.events)
        if outcome.stopped and not dry:
            set_up.append(_exhausted(game))
        for event in set_up:
            tables.evolve(game.table, event)
        events += set_up
    step = Step(seat, command, outcome.draws, tuple(events))
    return Judged((step,), outcome.stopped)


def _exhausted(game: Game) -> Abandoned:
    return Abandoned("chance_exhausted", game.table.shown)
