"""Verdicts: the steps that a request adds to a game. Pure, but for the game it is given.

Each function takes a game that the caller cloned, applies the events to it and returns the steps
in order. All raise `RuleViolation` for what the rules forbid; the clone is then to be discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...rules.chance import Chance, NoChance, Stopped
from ...rules.described import Command, Event, parse_command
from ...rules.plain import Misshapen
from ...rules.ruleset import Outcome, RuleViolation, Scoring, SeatScore, advance, run
from ..codec import Step
from ..game import Game
from ..table import checks as table_checks
from ..table import clocks as table_clocks
from ..table import decide as table_decide
from ..table import evolve as table_evolve
from ..table import state as table_state
from ..table import take_back
from ..table.commands import COMMANDS
from ..table.events import (
    Abandoned,
    FinalScored,
    GameStarted,
    LawChanged,
    SeedRevealed,
    UndoAsked,
    Undone,
)
from ..table.state import Actor, DecisionContext, SentCommand


@dataclass(frozen=True, slots=True)
class Verdict:
    """The steps, and the draw at which they stopped, if they did.

    `take_back_to` is the version that a take-back returns to (T-7): the state of the given game is
    then out of date, and the caller must fold the stream again.
    """

    steps: tuple[Step, ...]
    stopped: Stopped | None = None
    take_back_to: int | None = None


def judge_creation(game: Game, events: Sequence[Event]) -> Verdict:
    """Judges a creation with the events right behind it: the position that it branches off from

    (T-12), seats that are taken already. A full table starts in the same append (T-1).
    """
    for event in events[1:]:
        game.apply(event)
    return _with_start(game, None, None, list(events))


def judge_claim(game: Game, seat: int, code: str, name: str, entropy: str, token: str) -> Verdict:
    """Judges a claim; `code` and `token` are hashes."""
    events = table_decide.decide_claim(game.table, seat, code, name, entropy, token)
    for event in events:
        game.apply(event)
    return _with_start(game, None, None, events)


def judge_commands(
    game: Game,
    actor: Actor,
    commands: Sequence[Command],
    now: int,
    *,
    claim_code_hash: str = table_state.NO_HASH,
    state_at: Callable[[int], Game] | None = None,
    dry: bool = False,
) -> Verdict:
    """Judges one command, or several game commands of one seat, all or none.

    `now` is ms since 1970; `claim_code_hash` is that of the code under which the seat would be
    handed over; `state_at` returns the game at an earlier version, for take-backs (T-7). Without
    it, a seat whose last decision is not the newest one always asks the others.

    In a batch no command may follow one that draws: the whole batch is refused
    ("batch_past_chance", T-11), whatever would be drawn. A refusal names the command's place in
    the batch in `facts["index"]`. With `dry` the last command stops at its first draw too.
    """
    if len(commands) == 1 and commands[0].type in COMMANDS:
        context = DecisionContext(now, game.to_act(), claim_code_hash)
        return _judge_table_command(game, actor, commands[0], context, state_at, dry=dry)
    seat = table_decide.check_may_play(game.table, actor)
    return _judge_game_commands(game, seat, commands, dry=dry)


def judge_bot_command(game: Game, seat: int, command: Command) -> Verdict:
    """Judges a command that a bot chose for a seat it plays (T-4)."""
    table_decide.check_bot(game.table, seat)
    return _judge_game_commands(game, seat, [command])


def judge_expiry(game: Game, seat: int, now: int) -> Verdict:
    """Judges that a seat's time has run out: what the table chose for that follows (T-8).

    A pass is recorded as a command, but it is nobody's decision: its step names no seat.
    """
    command = _passing_command(game, seat)
    events = table_decide.decide_expiry(game.table, seat, now, can_pass=command is not None)
    for event in events:
        game.apply(event)
    if command is None:
        return Verdict((Step(None, None, (), tuple(events)),), None, _take_back_to(events))
    step, stopped = _judge_game_command(game, seat, command, may_draw=True)
    events += step.events
    if stopped:
        events.append(_exhausted(game))
        table_evolve.evolve(game.table, events[-1])
    return Verdict((Step(None, command, step.draws, tuple(events)),), stopped)


def _passing_command(game: Game, seat: int) -> Command | None:
    """Returns the first legal command by which the seat would pass (T-8); None where there is

    none, or the table chose something else than a pass.
    """
    deadline = game.table.created.deadline
    if deadline is None or deadline.on_expiry != table_clocks.PASSING or seat not in game.to_act():
        return None
    legal = game.ruleset.legal(game.state, seat)
    return next((command for command in legal if command.type in game.ruleset.passes), None)


def _judge_game_commands(
    game: Game, seat: int, commands: Sequence[Command], *, dry: bool = False
) -> Verdict:
    steps: list[Step] = []
    stopped = None
    for index, command in enumerate(commands):
        if stopped:
            raise RuleViolation(
                "batch_past_chance", "T-11", "A command of a batch may not follow a draw."
            )
        try:
            step, stopped = _judge_game_command(
                game, seat, command, may_draw=not dry and index == len(commands) - 1
            )
        except RuleViolation as refusal:
            refusal.facts["index"] = index
            raise
        steps.append(step)
    if stopped and not dry:
        last = steps.pop()
        steps.append(last._replace(events=(*last.events, _exhausted(game))))
        table_evolve.evolve(game.table, steps[-1].events[-1])
    return Verdict(tuple(steps), stopped)


def _judge_game_command(
    game: Game, seat: int, command: Command, *, may_draw: bool
) -> tuple[Step, Stopped | None]:
    table_checks.check_playing(game.table)
    if command.type in COMMANDS:
        raise RuleViolation("batch_table_command", "T-11", "A table's command is sent alone.")
    chance = game.chance() if may_draw else NoChance(game.table.next_draw)
    outcome = run(game.ruleset, game.state, seat, command, chance)
    for event in outcome.events:
        table_evolve.evolve(game.table, event)
    return Step(seat, command, outcome.draws, outcome.events), outcome.stopped


def ruleset_change(game: Game) -> tuple[Step, ...]:
    """Returns the step that moves a game to the present version of its ruleset.

    Empty where the game is over, or the ruleset still plays the game's own version.
    """
    version, own = game.ruleset.version, game.table.ruleset_version
    if own == version or own in game.ruleset.earlier:
        return ()
    if game.table.status in (table_state.FINISHED, table_state.ABANDONED):
        return ()
    return apply_table_event(game, LawChanged(version)).steps


def judge_scoring(game: Game) -> Verdict:
    """Returns the step with the result of a game whose play has ended."""
    event = FinalScored(
        score_game(game).plain(),
        game.table.resigned,
        game.table.chance_to_reveal,
        game.table.ended_by_rules,
    )
    return apply_table_event(game, event)


def score_game(game: Game) -> Scoring:
    """Returns the score now, with the table's ranks (T-2). Needs a game that has started."""
    return rank_resigned_last(game.ruleset.score(game.state), game.table.resigned)


def rank_resigned_last(scoring: Scoring, resigned: Sequence[int]) -> Scoring:
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


def judge_abandonment(game: Game, reason: str) -> Verdict:
    """Returns the step that ends a game without a winner (T-3): "idle" or "expired"."""
    return apply_table_event(game, Abandoned(reason, game.table.chance_to_reveal))


def judge_reveal(game: Game) -> Verdict:
    """Returns the step that reveals a tournament's chance at one of its tables (T-14)."""
    return apply_table_event(game, SeedRevealed(game.table.created.sealed_chance))


def apply_table_event(game: Game, event: Event) -> Verdict:
    """Applies an event of the table that no command caused, and returns its step."""
    game.apply(event)
    return Verdict((Step(None, None, (), (event,)),))


def _judge_table_command(
    game: Game,
    actor: Actor,
    command: Command,
    context: DecisionContext,
    state_at: Callable[[int], Game] | None,
    *,
    dry: bool,
) -> Verdict:
    events = table_decide.decide(game.table, actor, command, context)
    if state_at is not None and isinstance(events[0], UndoAsked):
        replay = _take_back_alone(game, events[0].seat, command, state_at)
        if replay is not None:
            return replay
    for event in events:
        game.apply(event)
    seat = None if actor.host else actor.seat
    verdict = _with_start(game, seat, command, events, dry=dry)
    return Verdict(verdict.steps, verdict.stopped, _take_back_to(events))


def _take_back_alone(
    game: Game, seat: int, command: Command, state_at: Callable[[int], Game]
) -> Verdict | None:
    """Returns the take-back of a seat's own last decision, with the steps of all that has been

    decided since: judged again without it, it is legal and leads to the same events (T-7). None
    where it is not, or where anything was drawn.
    """
    found = take_back.own_decision(game.table, seat)
    if found is None or any(decision.drew for decision in (found[0], *found[1])):
        return None
    own, since = found
    start = state_at(own.version_before).state
    as_played, alone = game.ruleset.clone(start), game.ruleset.clone(start)
    steps = [Step(seat, command, (), (Undone(own.version_before),))]
    try:
        for sent in own.commands:
            _run_again(game, as_played, seat, sent)
        for sent in (sent for decision in since for sent in decision.commands):
            if sent.seat is None:  # nobody sent it, so nobody sends it again (T-8)
                return None
            again = _run_again(game, alone, sent.seat, sent)
            if again.events != _run_again(game, as_played, sent.seat, sent).events:
                return None
            steps.append(again)
    except (RuleViolation, Misshapen, Stopped):
        return None
    return Verdict(tuple(steps), None, own.version_before)


def _run_again(game: Game, state: Any, seat: int, sent: SentCommand) -> Step:
    """Carries a command out that a seat sent before, in place, and returns its step.

    Raises `RuleViolation` or `Misshapen` where it is not legal, `Stopped` where it draws.
    """
    command = parse_command(game.ruleset.commands, sent.command)
    outcome = run(game.ruleset, state, seat, command, NoChance(game.table.next_draw))
    if outcome.stopped:
        raise outcome.stopped
    return Step(seat, command, (), outcome.events, again=True)


def _take_back_to(events: Sequence[Event]) -> int | None:
    return next((event.to_version for event in events if isinstance(event, Undone)), None)


def _with_start(
    game: Game, seat: int | None, command: Command | None, events: list[Event], *, dry: bool = False
) -> Verdict:
    """Returns the step of these events, with the start and the set-up where the table is full."""
    following = table_decide.proceed(game.table)
    for event in following:
        game.apply(event)
    events = [*events, *following]
    outcome = Outcome((), ())
    if any(isinstance(event, GameStarted) for event in events):
        chance: Chance = NoChance() if dry else game.chance()
        outcome = advance(game.ruleset, game.state, chance)
        set_up = list(outcome.events)
        if outcome.stopped and not dry:
            set_up.append(_exhausted(game))
        for event in set_up:
            table_evolve.evolve(game.table, event)
        events += set_up
    step = Step(seat, command, outcome.draws, tuple(events))
    return Verdict((step,), outcome.stopped)


def _exhausted(game: Game) -> Abandoned:
    """Returns the end of a game whose arranged chance is used up."""
    return Abandoned("chance_exhausted", game.table.chance_to_reveal)
