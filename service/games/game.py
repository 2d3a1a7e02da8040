"""A game: its table, the state of its ruleset, and its place in the stream.

`fold` is the only way from stored entries to a game. At a take-back (`undone`) it returns to the
position right after the version that the event names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..rules.chance import ArrangedChance, Chance, SealedChance
from ..rules.described import Event
from ..rules.plain import Plain
from ..rules.ruleset import AnyRuleset, options_of, rulesets
from ..store import GENESIS_HASH, Corrupt, Entry, chain_entry
from .codec import Meta, StepFact, decode_event, decode_meta, from_past_event, to_past_event
from .table import evolve as table_evolve
from .table import seat_clocks, take_back
from .table import state as table_state
from .table.commands import COMMANDS
from .table.events import EVENTS, Forked, GameCreated, GameStarted, PastEvent, Undone
from .table.state import Decision, SentCommand, Table


@dataclass(slots=True)
class Game:
    """A game at a version. `state` is that of its ruleset, None before the start; a branch has one

    from the beginning.

    `append_end` is the version at the end of the present append; `request` is the id of the request
    that caused it. Never changed once it is cached: clone it first.
    """

    ruleset: AnyRuleset
    options: Any
    table: Table
    state: Any
    version: int = 0
    hash: bytes = GENESIS_HASH
    append_end: int = 0
    request: str | None = None

    @property
    def id(self) -> str:
        return self.table.id

    @property
    def at_append_end(self) -> bool:
        """Whether the version is the end of an append."""
        return self.version == self.append_end

    def clone(self) -> Game:
        """Returns an independent copy."""
        state = None if self.state is None else self.ruleset.clone(self.state)
        return Game(
            self.ruleset,
            self.options,
            self.table.clone(),
            state,
            self.version,
            self.hash,
            self.append_end,
            self.request,
        )

    @property
    def last_move(self) -> Plain:
        """The last game command that counts as a move (`seat`, `command`); None before there is

        one, and in a branch until there is one of its own.
        """
        return None if self.table.decisions is None else self.table.decisions[1].move

    def to_act(self) -> tuple[int, ...]:
        """Returns the seats the game waits for, ascending; empty unless it is being played."""
        if self.state is None or self.table.status != table_state.PLAYING:
            return ()
        return self.ruleset.to_act(self.state)

    def chance(self, *, forgiving: bool = True) -> Chance:
        """Returns the game's chance, at its next draw. `forgiving` as in `ArrangedChance`."""
        created = self.table.created
        start = self.table.next_draw
        if created.chance == "arranged":
            outcomes = created.sealed_chance["outcomes"]
            return ArrangedChance(outcomes, start, forgiving=forgiving)
        seed = bytes.fromhex(created.sealed_chance["seed"])
        entropies = [seat.entropy.encode() for seat in self.table.seats]
        return SealedChance(seed, created.chance_id, entropies, start)

    def apply(self, event: Event) -> None:
        """Applies an event in place, to the table and to the state of the ruleset."""
        table_evolve.evolve(self.table, event)
        if isinstance(event, GameStarted):
            if self.state is None:  # a branch has the state where it branched off
                self.state = self.ruleset.initial(len(self.table.seats), self.options)
        elif isinstance(event, Forked):
            self.state = self.ruleset.initial(len(self.table.seats), self.options)
            for past in event.past:
                self.ruleset.evolve(self.state, from_past_event(past, self.ruleset))
        elif event.type not in EVENTS:
            self.ruleset.evolve(self.state, event)

    def settle_clocks(self) -> None:
        """Sets the clocks at an append's end, by the seats that the game waits for now (T-8)."""
        if self.table.clocks:
            seat_clocks.settle_clocks(self.table, self.to_act())

    def several_may_act(self) -> bool:
        """Returns whether more than one seat may send commands of the game now."""
        acting = self.to_act()
        if len(acting) != 1:
            return len(acting) > 1
        return any(
            self.ruleset.legal(self.state, seat)
            for seat in range(len(self.table.seats))
            if seat not in acting
        )

    def note_append(
        self,
        steps: Sequence[StepFact],
        at: int,
        request: str | None = None,
        before: Game | None = None,
    ) -> None:
        """Records an append that follows the present version: its draws and decisions, its time (ms

        since 1970), the id of its request. `before` is the game before the append, where the
        append's events have been applied to this one already.
        """
        self.request = request
        self.table.next_draw += sum(len(step.draws) for step in steps)
        self.table.changed_at = at
        played: list[SentCommand] = []
        replays: list[tuple[int, SentCommand]] = []
        version = self.version
        for step in steps:
            if step.command is not None and step.command["type"] not in COMMANDS:
                sent = SentCommand(step.seat, step.command)
                if step.again:
                    replays.append((version, sent))
                else:
                    played.append(sent)
            version += step.entries
        self.table.replays = tuple(replays)
        if played:
            seats = {sent.seat for sent in played if sent.seat is not None}
            drew = any(step.draws for step in steps)
            simultaneous = (before or self).several_may_act()
            take_back.record_decision(
                self.table, self.version, seats, drew, played, simultaneous=simultaneous
            )


class NeedsFullStream(Exception):  # an internal signal, never leaves this package
    """A take-back reaches before the version the fold began with: fold from the first entry."""


def new_game(created: GameCreated, at: int) -> Game:
    """Returns the game of a creation event at version 0: nothing is applied yet."""
    ruleset = rulesets()[created.ruleset]
    options = options_of(ruleset, created.law, created.options)
    return Game(ruleset, options, table_state.create_table(created, at), None)


def fold(base: Game | None, entries: Sequence[Entry]) -> Game:
    """Returns the game after the entries, which follow `base` (None: from the first on).

    `base` is left as it is. Raises `Corrupt` where hashes, versions or types do not fit, and
    `NeedsFullStream`.
    """
    first = 0 if base is None else base.version
    game = None if base is None else base.clone()
    previous = GENESIS_HASH if base is None else base.hash
    ruleset = None if base is None else base.ruleset
    targets = _take_back_targets(entries, first)
    kept_states: dict[int, Any] = {}
    if base is not None and first in targets:
        kept_states[first] = base.ruleset.clone(base.state)
    for place, entry in enumerate(entries):
        version = first + place + 1
        expected = chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta)
        if expected.hash != entry.hash:
            raise Corrupt(f"the hash of version {version} does not fit")
        previous = entry.hash
        meta = decode_meta(entry)
        if game is None or ruleset is None:
            game = _created_game(entry, meta)
            ruleset = game.ruleset
        else:
            if meta is not None:
                game.note_append(meta.steps, meta.at, meta.request)
            event = decode_event(entry, ruleset)
            game.apply(event)
            if isinstance(event, Undone):
                game.state = kept_states.pop(event.to_version)
        if meta is not None:
            game.append_end = version - 1 + meta.size
        game.version, game.hash = version, entry.hash
        if game.at_append_end:
            game.settle_clocks()
        if version in targets:
            kept_states[version] = ruleset.clone(game.state)
    if game is None:
        raise Corrupt("there is nothing to fold")
    return game


def counted_events(entries: Sequence[Entry], ruleset: AnyRuleset) -> tuple[PastEvent, ...]:
    """Returns the events of the game played that count at a position: not those taken back.

    `entries` are the stream from its first entry on. In a branch the events it took over come
    first.
    """
    kept: dict[int, list[PastEvent]] = {version: [] for version in _take_back_targets(entries, 0)}
    found: list[PastEvent] = []
    for version, entry in enumerate(entries, start=1):
        event = decode_event(entry, ruleset)
        if isinstance(event, Forked):
            found = list(event.past)
        elif isinstance(event, Undone):
            found = kept[event.to_version].copy()
        elif entry.type not in EVENTS:
            found.append(to_past_event(event))
        if version in kept:
            kept[version] = found.copy()
    return tuple(found)


def _created_game(entry: Entry, meta: Meta | None) -> Game:
    created = decode_event(entry, None)
    if not isinstance(created, GameCreated) or meta is None:
        raise Corrupt("the stream does not begin with a creation")
    game = new_game(created, meta.at)
    game.note_append(meta.steps, meta.at, meta.request)
    return game


def _take_back_targets(entries: Sequence[Entry], first: int) -> frozenset[int]:
    """Returns the versions that take-backs return to, each to another one.

    Raises `NeedsFullStream` for one before `first`, `Corrupt` for one that never was.
    """
    found: set[int] = set()
    for place, entry in enumerate(entries):
        if entry.type == Undone.type:
            event = decode_event(entry, None)
            assert isinstance(event, Undone)  # noqa: S101
            if event.to_version < first:
                raise NeedsFullStream
            if event.to_version > first + place or event.to_version in found:
                raise Corrupt(f"version {first + place + 1} goes back to what never was or is gone")
            found.add(event.to_version)
    return frozenset(found)


__all__ = ["Decision", "Game", "NeedsFullStream", "counted_events", "fold", "new_game"]
