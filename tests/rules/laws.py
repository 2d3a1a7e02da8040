"""The laws that every ruleset keeps, as checks over any of them.

A check asserts; it returns how much it looked at where that is worth knowing. `Step` is one step of
a game with the states before and after, neither of which is changed later.

    steps = list(play_random(ruleset, 2, options, random.Random(1)))
    check_replay(ruleset, 2, options, steps)
    for step in steps:
        check_legal_is_decide(ruleset, step.after, generator)
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from service.rules import described, kinds, plain
from service.rules.chance import (
    Chance,
    Draw,
    FreeChance,
    NoChance,
    RecordedChance,
    SealedChance,
)
from service.rules.described import Command, Event
from service.rules.kinds import Kind
from service.rules.ruleset import (
    AnyRuleset,
    Outcome,
    PlayEnded,
    RuleViolation,
    advance,
    run,
    start,
)

from .samples import candidates

UNASKED = 0.1
"""How often a random game tries what seats may do that the game does not wait for."""

Chooser = Callable[[random.Random, "list[tuple[int, Command]]"], "tuple[int, Command]"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a game; the set-up has neither seat nor command."""

    before: Any
    seat: int | None
    command: Command | None
    outcome: Outcome
    after: Any


def any_command(generator: random.Random, listed: list[tuple[int, Command]]) -> tuple[int, Command]:
    """Chooses among all that is listed, each with the same chance."""
    return generator.choice(listed)


def any_type(generator: random.Random, listed: list[tuple[int, Command]]) -> tuple[int, Command]:
    """Chooses a type of command first: rare kinds come up more often."""
    wanted = generator.choice(sorted({command.type for _, command in listed}))
    return generator.choice([entry for entry in listed if entry[1].type == wanted])


def play_random(
    ruleset: AnyRuleset,
    seats: int,
    options: Any,
    generator: random.Random,
    *,
    chance: Chance | None = None,
    most: int = 100_000,
    choose: Chooser = any_command,
) -> Iterator[Step]:
    """Yields the set-up and then at most `most` random legal moves, until play is over.

    Asserts on the way that the game waits for somebody as long as play is not over, and that
    nothing stops. Seats that it does not wait for move now and then, where they may.
    `chance` is a `FreeChance` on the same generator if none is given.
    """
    chance = FreeChance(generator) if chance is None else chance
    state, outcome = start(ruleset, seats, options, chance)
    yield Step(ruleset.initial(seats, options), None, None, outcome, ruleset.clone(state))
    for _ in range(most):
        assert outcome.stopped is None, f"stopped: {outcome.stopped}"
        if ruleset.over(state):
            return
        listed = all_legal(ruleset, state)
        waiting = ruleset.to_act(state)
        asked = [entry for entry in listed if entry[0] in waiting]
        assert asked, "play is not over, yet nobody may do anything"
        if len(asked) < len(listed) and generator.random() >= UNASKED:
            listed = asked
        seat, command = choose(generator, listed)
        before = state
        state = ruleset.clone(before)
        outcome = run(ruleset, state, seat, command, chance)
        yield Step(before, seat, command, outcome, ruleset.clone(state))


def play_out(
    ruleset: AnyRuleset,
    seats: int,
    options: Any,
    generator: random.Random,
    *,
    chance: Chance | None = None,
    most: int = 100_000,
    choose: Chooser = any_command,
) -> list[Step]:
    """Returns the steps of a whole random game; asserts that it ends within `most` moves."""
    steps = list(
        play_random(ruleset, seats, options, generator, chance=chance, most=most, choose=choose)
    )
    assert ruleset.over(steps[-1].after), f"not over after {most} moves"
    return steps


def all_legal(ruleset: AnyRuleset, state: Any) -> list[tuple[int, Command]]:
    """Returns every legal command with its seat, seats ascending."""
    return [
        (seat, command)
        for seat in range(seat_count(ruleset, state))
        for command in ruleset.legal(state, seat)
    ]


def seat_count(ruleset: AnyRuleset, state: Any) -> int:
    """Returns how many seats play."""
    return len(ruleset.score(state).seats)


def check_legal_is_decide(
    ruleset: AnyRuleset, state: Any, generator: random.Random, unlisted: int = 20
) -> Counter[str]:
    """Checks legal ⇔ decide at a state; returns how often each rule refused.

    Every listed command of every seat is accepted, lists hold no command twice, the seats that the
    game waits for have some, nobody has any while it waits for none, and at least `unlisted`
    different well-shaped commands that are not listed (random ones, neighbours of listed ones,
    other seats' ones) are refused with a rule of the book and a detail. Nothing of that changes
    the state.
    """
    kept = ruleset.clone(state)
    assert kept == state, "a clone differs from its state"
    seats = range(seat_count(ruleset, state))
    lists = {seat: ruleset.legal(state, seat) for seat in seats}
    to_act = ruleset.to_act(state)
    assert list(to_act) == sorted(set(to_act))
    assert set(to_act) <= set(seats)
    assert all(lists[seat] for seat in to_act), "a seat that must act has no command"
    assert to_act or not any(lists.values()), "a seat may act while the game waits for nobody"
    if ruleset.over(state):
        assert to_act == ()
    for seat, listed in lists.items():
        assert len(set(listed)) == len(listed), f"seat {seat} has a command twice"
        for command in listed:
            well_formed(ruleset, command)
            for event in ruleset.decide(state, seat, command):
                assert ruleset.events[event.type] is type(event)
    refused = _check_refusals(ruleset, state, lists, generator, unlisted)
    assert state == kept, "judging changed the state"
    return refused


def _check_refusals(
    ruleset: AnyRuleset,
    state: Any,
    lists: dict[int, list[Command]],
    generator: random.Random,
    unlisted: int,
) -> Counter[str]:
    rules = {rule.id for rule in ruleset.rules}
    accepted = {(seat, command) for seat, listed in lists.items() for command in listed}
    everyone = [command for listed in lists.values() for command in listed]
    acting = [seat for seat in lists if lists[seat]]
    tried: set[tuple[int, Command]] = set()
    refused: Counter[str] = Counter()
    source = candidates(ruleset, everyone, generator)
    for _ in range(unlisted * 60):
        if len(tried) >= unlisted:
            break
        turn = generator.random()
        seat = generator.choice(acting if acting and turn < 0.7 else list(lists))
        command = generator.choice(everyone) if everyone and turn > 0.85 else next(source)
        if (seat, command) in accepted or (seat, command) in tried:
            continue
        tried.add((seat, command))
        refused[check_refused(ruleset, state, seat, command, rules)] += 1
    assert len(tried) >= unlisted, f"only {len(tried)} unlisted commands found"
    return refused


def check_refused(
    ruleset: AnyRuleset, state: Any, seat: int, command: Command, rules: set[str]
) -> str:
    """Checks that a command is refused as it should be; returns the rule."""
    try:
        ruleset.decide(state, seat, command)
    except RuleViolation as violation:
        refusal = violation
    else:
        raise AssertionError(f"seat {seat}: {command} is accepted but not listed")
    assert refusal.rule in rules, f"{refusal.rule} is not in the rule book"
    assert refusal.detail
    assert refusal.code == refusal.code.lower().replace(" ", "_")
    return refusal.rule


def well_formed(ruleset: AnyRuleset, command: Command) -> None:
    """Checks that a command is of the ruleset and comes back whole from its plain form."""
    assert ruleset.commands[command.type] is type(command)
    sent = json.loads(json.dumps(described.dump_command(command)))
    assert described.parse_command(ruleset.commands, sent) == command


def check_replay(ruleset: AnyRuleset, seats: int, options: Any, steps: Sequence[Step]) -> int:
    """Checks that events alone, stored and read again, lead to every state; returns their number.

    `steps` begins with the set-up. Each event must also keep to its own description.
    """
    state = ruleset.initial(seats, options)
    count = 0
    for step in steps:
        for event in step.outcome.events:
            ruleset.evolve(state, stored(ruleset, event))
            count += 1
        assert state == step.after, f"replay differs after {step.command}"
        assert ruleset.view(state) == ruleset.view(step.after)
        assert ruleset.to_act(state) == ruleset.to_act(step.after)
        assert ruleset.over(state) == ruleset.over(step.after)
    return count


def stored(ruleset: AnyRuleset, event: Event) -> Event:
    """Returns the event as it comes back from the store; checks it against its description."""
    cls = ruleset.events[event.type]
    assert cls is type(event)
    data = json.loads(json.dumps(described.dump(event)))
    assert described.parse(cls, data) == event, f"{event} breaks its own description"
    loaded: Event = described.load(cls, data)
    assert loaded == event
    return loaded


def snapshot(ruleset: AnyRuleset, state: Any) -> str:
    """Returns all that anyone may learn of a state, as JSON text."""
    return json.dumps(
        {
            "view": ruleset.view(state),
            "to_act": ruleset.to_act(state),
            "over": ruleset.over(state),
            "score": ruleset.score(state).plain(),
            "legal": [
                [described.dump_command(command) for command in ruleset.legal(state, seat)]
                for seat in range(seat_count(ruleset, state))
            ],
        }
    )


class ForkedChance(Chance):
    """Values given first, then those of a generator."""

    def __init__(self, first: Sequence[int], generator: random.Random) -> None:
        super().__init__()
        self._first = first
        self._generator = generator

    def _value(self, bound: int) -> int:
        if self.next_index < len(self._first):
            return self._first[self.next_index]
        return self._generator.randrange(bound)


def check_equal_draws(
    ruleset: AnyRuleset,
    seats: int,
    options: Any,
    steps: Sequence[Step],
    generator: random.Random,
    forks: int = 3,
) -> int:
    """Checks that what is to be drawn shows nowhere before it is drawn.

    The game of `steps` is played again with the same draws up to a random one and others from
    there on. As long as no draw came out differently, all that anyone may learn is equal byte for
    byte. Returns how many states were compared.
    """
    draws = [draw for step in steps for draw in step.outcome.draws]
    compared = 0
    shown = [snapshot(ruleset, step.after) for step in steps]
    for _ in range(forks if draws else 0):
        cut = generator.randrange(len(draws))
        chance = ForkedChance([draw.value for draw in draws[:cut]], generator)
        state, _outcome = start(ruleset, seats, options, chance)
        for place, step in enumerate(steps):
            if place:
                assert step.seat is not None
                assert step.command is not None
                run(ruleset, state, step.seat, step.command, chance)
            if chance.draws != draws[: len(chance.draws)]:
                break
            assert snapshot(ruleset, state) == shown[place], f"step {place} tells of the future"
            compared += 1
    return compared


def check_stopping(ruleset: AnyRuleset, step: Step) -> int:
    """Checks that a step may stop before any of its draws and be taken up again later.

    Returns the number of draws at which it was stopped. Each `proceed` draws at most once, and
    the draw comes before all else: the stopped state is what the events so far lead to.
    """
    draws = step.outcome.draws
    for cut in range(len(draws)):
        state = ruleset.clone(step.before)
        first = RecordedChance(draws[:cut], draws[0].number)
        outcome = _again(ruleset, state, step, first)
        assert outcome.stopped is not None
        assert outcome.stopped.bound == draws[cut].bound
        told = len(outcome.events)
        assert outcome.events == step.outcome.events[:told]
        rebuilt = ruleset.clone(step.before)
        for event in outcome.events:
            ruleset.evolve(rebuilt, event)
        assert rebuilt == state, "a stopped step left something behind"
        rest = advance(ruleset, state, RecordedChance(draws[cut:], draws[cut].number))
        assert outcome.events + rest.events == step.outcome.events
        assert state == step.after
    return len(draws)


def _again(ruleset: AnyRuleset, state: Any, step: Step, chance: Chance) -> Outcome:
    if step.command is None or step.seat is None:
        return advance(ruleset, state, chance)
    return run(ruleset, state, step.seat, step.command, chance)


def check_draws(steps: Sequence[Step]) -> list[Draw]:
    """Checks that draws are numbered without gaps and lie within bounds; returns them."""
    draws = [draw for step in steps for draw in step.outcome.draws]
    assert [draw.number for draw in draws] == list(range(len(draws)))
    assert all(0 <= draw.value < draw.bound for draw in draws)
    return draws


def check_view(ruleset: AnyRuleset, state: Any) -> dict[str, Any]:
    """Checks that the view is plain data without floats and shares nothing; returns it."""
    view = ruleset.view(state)
    assert json.loads(json.dumps(view)) == view, "the view is no plain data"
    assert kinds.Free().parse(json.loads(json.dumps(view)), "") == view
    kept = ruleset.clone(state)
    _spoil(ruleset.view(state))
    assert state == kept, "the view shares something with the state"
    assert ruleset.view(state) == view
    return view


def _spoil(value: Any) -> None:
    if isinstance(value, dict):
        for inner in value.values():
            _spoil(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            _spoil(inner)
        value.clear()


class Looks:
    """What positions look like, and what is so in each: of games with the same options and seats.

    `add` checks that what looks equal is equal: whom the game waits for, what each seat may do and
    what that states, the totals and ranks. So whoever sees a view could go on by the rules from it.
    """

    def __init__(self, ruleset: AnyRuleset) -> None:
        self._ruleset = ruleset
        self._known: dict[str, str] = {}
        self.alike = 0
        """How many positions looked like one before them."""

    def add(self, state: Any) -> None:
        """Looks at a position."""
        look = json.dumps(self._ruleset.view(state))
        found = json.dumps(self._found(state))
        known = self._known.setdefault(look, found)
        assert known == found, f"two positions look alike: {look}"
        self.alike += known is not found

    def _found(self, state: Any) -> list[Any]:
        ruleset = self._ruleset
        scoring = ruleset.score(state)
        return [
            ruleset.to_act(state),
            scoring.final,
            [[seat.total, seat.rank, seat.tie_breaks] for seat in scoring.seats],
            [
                [seat, described.dump_command(command), *map(_plain_event, decided)]
                for seat, command in all_legal(ruleset, state)
                for decided in [ruleset.decide(state, seat, command)]
            ],
        ]

    def add_other_orders(self, state: Any, generator: random.Random, tries: int = 3) -> None:
        """Looks at what two commands lead to that can be sent in both orders, without draws."""
        ruleset = self._ruleset
        listed = all_legal(ruleset, state)
        for _ in range(tries if len(listed) > 1 else 0):
            pair = generator.sample(listed, 2)
            for order in (pair, pair[::-1]):
                after = ruleset.clone(state)
                if all(_sent(ruleset, after, seat, command) for seat, command in order):
                    self.add(after)


def _plain_event(event: Event) -> list[Any]:
    return [event.type, described.dump(event)]


def _sent(ruleset: AnyRuleset, state: Any, seat: int, command: Command) -> bool:
    """Carries a command out in place if it is legal; returns whether it was, and drew nothing."""
    if command not in ruleset.legal(state, seat):
        return False
    return run(ruleset, state, seat, command, NoChance()).stopped is None


def check_score(ruleset: AnyRuleset, state: Any) -> None:
    """Checks that totals are the sums of their items, and ranks follow from totals and ties."""
    scoring = ruleset.score(state)
    assert scoring.final == ruleset.over(state)
    keys = [(seat.total, *seat.tie_breaks) for seat in scoring.seats]
    for seat, key in zip(scoring.seats, keys, strict=True):
        assert seat.total == sum(item.points for item in seat.items)
        assert seat.rank == 1 + sum(other > key for other in keys)
    shown = scoring.plain()
    assert json.loads(json.dumps(shown)) == shown


def check_clone(ruleset: AnyRuleset, step: Step) -> None:
    """Checks that carrying a step out on a clone leaves the state that was cloned alone."""
    kept = ruleset.clone(step.before)
    work = ruleset.clone(step.before)
    for event in step.outcome.events:
        ruleset.evolve(work, event)
    assert work == step.after
    assert step.before == kept, "a clone shares something with its state"


def check_ending(ruleset: AnyRuleset, state: Any) -> None:
    """Checks that the table may end play at any time, and that then nobody may do anything."""
    ended = ruleset.clone(state)
    ruleset.evolve(ended, PlayEnded("T-2", 0))
    assert ruleset.over(ended)
    assert ruleset.to_act(ended) == ()
    assert ruleset.proceed(ended, RecordedChance(())) == []
    assert ruleset.score(ended).final
    ruleset.view(ended)


def order_key(ruleset: AnyRuleset, command: Command) -> tuple[Any, ...]:
    """Returns what commands are sorted by: the book's table, then field by field."""
    return (list(ruleset.commands).index(command.type), _object_key(command))


def check_canonical_order(ruleset: AnyRuleset, commands: Sequence[Command]) -> None:
    """Checks that commands stand in canonical order: numbers ascend, null first, ids as in data."""
    keys = [order_key(ruleset, command) for command in commands]
    assert keys == sorted(keys), "the list is not in canonical order"


def _object_key(value: Any) -> tuple[Any, ...]:
    return tuple(
        _value_key(field.kind, getattr(value, field.attribute))
        for field in described.fields(type(value))
    )


def _value_key(kind: Kind, value: Any) -> tuple[Any, ...]:
    match kind:
        case kinds.OneOf(values):
            return (values.index(value),)
        case kinds.Maybe(inner):
            return (0,) if value is None else (1, _value_key(inner, value))
        case kinds.Either(inners):
            return _either_key(inners, value)
        case kinds.Many(inner):
            return tuple(_value_key(inner, item) for item in value)
        case kinds.Counts(ids):
            counts = dict(value)
            return tuple(counts.get(name, 0) for name in ids)
        case described.Structure():
            return _object_key(value)
    return (value,)


def _either_key(inners: Sequence[Kind], value: Any) -> tuple[Any, ...]:
    for place, inner in enumerate(inners):
        try:
            inner.parse(inner.dump(value), "")
        except (plain.Misshapen, AttributeError, TypeError, ValueError):
            continue
        return (place, _value_key(inner, value))
    raise AssertionError(f"{value!r} is of none of its kinds")


def perft(ruleset: AnyRuleset, state: Any, depth: int, seed: str = "perft") -> list[int]:
    """Returns how many paths of legal commands there are of length 1, 2, … `depth`.

    What is drawn follows from the seed and how deep the path is, so that counts are the same
    everywhere. The state is left as it is.
    """
    counts = [0] * depth
    _count(ruleset, state, 0, counts, seed.encode())
    return counts


def _count(ruleset: AnyRuleset, state: Any, depth: int, counts: list[int], seed: bytes) -> None:
    listed = all_legal(ruleset, state)
    counts[depth] += len(listed)
    if depth + 1 == len(counts):
        return
    for seat, command in listed:
        following = ruleset.clone(state)
        chance = SealedChance(seed, "perft", (), depth * 1000)
        run(ruleset, following, seat, command, chance)
        _count(ruleset, following, depth + 1, counts, seed)


def check_game(
    ruleset: AnyRuleset,
    seats: int,
    options: Any,
    seed: int,
    *,
    every: int = 1,
    unlisted: int = 20,
    most: int = 100_000,
    choose: Chooser = any_command,
    invariant: Callable[[Any], None] | None = None,
) -> Counter[str]:
    """Plays a random game and checks all laws at every `every`-th state, the last one included.

    `invariant` is called with each state. Returns how often each rule refused.
    """
    generator = random.Random(seed)
    steps = list(play_random(ruleset, seats, options, generator, most=most, choose=choose))
    check_draws(steps)
    check_replay(ruleset, seats, options, steps)
    check_equal_draws(ruleset, seats, options, steps, generator, forks=1)
    refused: Counter[str] = Counter()
    looks = Looks(ruleset)
    for place, step in enumerate(steps):
        if invariant is not None:
            invariant(step.after)
        if place % every and step is not steps[-1]:
            continue
        refused += check_legal_is_decide(ruleset, step.after, generator, unlisted)
        for seat in ruleset.to_act(step.after):
            check_canonical_order(ruleset, ruleset.legal(step.after, seat))
        check_view(ruleset, step.after)
        looks.add(step.after)
        looks.add_other_orders(step.after, generator)
        check_score(ruleset, step.after)
        check_stopping(ruleset, step)
        check_clone(ruleset, step)
        check_ending(ruleset, step.after)
    return refused


def check_rules_named(ruleset: AnyRuleset, texts: Sequence[str]) -> None:
    """Checks that every rule of the book is named in some of the texts, a colon or space after."""
    for rule in ruleset.rules:
        if not any(names(text, rule.id) for text in texts):
            pytest.fail(f"no test names {rule.id}")


def names(text: str, rule: str) -> bool:
    """Returns whether a text names a rule, and not only one whose id begins alike."""
    at = text.find(rule)
    while at >= 0:
        after = text[at + len(rule) : at + len(rule) + 2]
        if not (after[:1].isalnum() or (after[:1] == "." and after[1:2].isdigit())):
            return True
        at = text.find(rule, at + 1)
    return False
