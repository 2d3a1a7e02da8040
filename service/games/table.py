"""The table: seats, start, resigning, handing over, taking back, the end. Rules T-1 … T-11.

In the same form as a ruleset: `decide` judges and changes nothing, `proceed` says what happens by
itself, `evolve` applies in place, `legal` lists exactly what `decide` accepts. The table knows
nothing of the game played on it but its seats and whether play has ended.

A command is sent by a *party*: a seat, or the host without a seat (seat None), or the host for a
seat that is not its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hmac import compare_digest
from typing import Any, Final, NamedTuple

from ..levels import LEVELS
from ..rules.plain import Command, Event, Plain
from ..rules.ruleset import PlayEnded, RuleViolation
from . import deadlines
from .commands import (
    Abandon,
    AcceptUndo,
    GiveToBot,
    HandOver,
    Leave,
    RefuseUndo,
    Resign,
    Start,
    Undo,
)
from .deadlines import Clock, Deadline
from .events import (
    Abandoned,
    Expired,
    FinalScored,
    GameCreated,
    GameStarted,
    LawChanged,
    SeatClaimed,
    SeatGivenToBot,
    SeatHandedOver,
    SeatLeft,
    SeatResigned,
    SeedRevealed,
    TokenReplaced,
    UndoAccepted,
    UndoAsked,
    Undone,
    UndoRefused,
)

OPEN: Final = "open"
PLAYING: Final = "playing"
SCORING: Final = "scoring"
FINISHED: Final = "finished"
ABANDONED: Final = "abandoned"
STATUSES: Final = (OPEN, PLAYING, SCORING, FINISHED, ABANDONED)
HOSTS_OWN: Final = (Start, Abandon)
"""The commands that only the host sends, for no seat."""
MOST_HAND_OVERS: Final = 10_000
NO_CODE: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat. `token` is None while nobody has it; `claim` is the code that opens it, if any."""

    kind: str
    name: str | None = None
    level: str | None = None
    token: str | None = None
    claim: str | None = None
    entropy: str = ""
    resigned: bool = False

    @property
    def bot(self) -> bool:
        return self.kind == "bot"

    @property
    def filled(self) -> bool:
        return self.bot or self.token is not None


class Decision(NamedTuple):
    """An append that holds game commands: from which version on, whose, whether it drew, what it

    gained for the clocks of seats (ms), and its last command as a move (`seat`, `command`). A
    command that time sent is nobody's.
    """

    before: int
    seats: frozenset[int]
    drew: bool
    gained: tuple[tuple[int, int], ...] = ()
    move: Plain = None


class Party(NamedTuple):
    """Who sends a command: for which seat (None: for none), and whether as the host."""

    seat: int | None
    host: bool = False


class Moment(NamedTuple):
    """When a command is judged (ms), which seats the game waits for, and the hash of the claim

    code that a seat would be handed over under.
    """

    now: int
    waiting: tuple[int, ...] = ()
    code: str = NO_CODE


@dataclass(slots=True)
class Table:
    """A table's state. Times are ms since 1970. `clocks` has one for each seat, or none at all

    where the table knows no deadline.
    """

    created: GameCreated
    seats: list[Seat]
    host: str
    watch: str | None
    law: int
    status: str = OPEN
    next_draw: int = 0
    hand_overs: int = 0
    since: int = 0
    moved: int = 0
    decisions: tuple[Any, ...] | None = None
    asked: UndoAsked | None = None
    agreed: frozenset[int] = frozenset()
    law_ended: bool = False
    final: FinalScored | None = None
    reason: str | None = None
    clocks: tuple[Clock, ...] = ()
    revealed: bool = False

    @property
    def shown(self) -> Any:
        """What an ending shows of the chance: all that is sealed; None while it is sealed for other

        tables too (T-14).
        """
        return None if self.created.tournament is not None else self.created.sealed_chance

    @property
    def over(self) -> bool:
        """Whether the game has its result, or never will."""
        return self.status in (FINISHED, ABANDONED)

    @property
    def recordable(self) -> bool:
        """Whether the game is over and its chance is shown."""
        return self.over and (self.revealed or self.created.tournament is None)

    @property
    def id(self) -> str:
        return self.created.game

    @property
    def public(self) -> bool:
        return self.created.visibility == "public"

    @property
    def people(self) -> frozenset[int]:
        """The seats that people play."""
        return frozenset(i for i, seat in enumerate(self.seats) if not seat.bot)

    @property
    def resigned(self) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.resigned)

    def clone(self) -> Table:
        """Returns an independent copy."""
        return replace(self, seats=list(self.seats))


def lay(created: GameCreated, now: int) -> Table:
    """Returns the table that was laid at a time."""
    seats = [
        Seat(plan.kind, plan.name, plan.level, claim=claim)
        for plan, claim in zip(created.seats, created.claims, strict=True)
    ]
    return Table(
        created,
        seats,
        created.host,
        created.watch,
        created.law,
        since=now,
        moved=now,
        clocks=deadlines.fresh(created.deadline, len(seats)),
    )


def decide(table: Table, party: Party, command: Command, moment: Moment) -> list[Event]:
    """Returns what the command states. Raises `RuleViolation` with a T-… rule; changes nothing."""
    _check_over(table)
    judge = _JUDGES.get(type(command))
    if judge is None:
        raise RuleViolation("not_a_table_command", "T-11", "That is no command of the table.")
    return judge(table, party, command, moment)


def decide_claim(
    table: Table, seat: int, claim: str, name: str, entropy: str, token: str
) -> list[Event]:
    """Returns what claiming a seat states. `claim` and `token` are hashes.

    Raises `RuleViolation`: "seat_taken" (T-1) where the seat is not open, "wrong_claim_code"
    (T-1) for another code, "too_late_for_entropy" (T-5) once the chance is settled, "no_entropy"
    (T-14) in a tournament.
    """
    _check_over(table)
    held = table.seats[seat]
    if held.claim is None:
        raise RuleViolation("seat_taken", "T-1", "Seat {seat} is not open.", seat=seat)
    if not compare_digest(held.claim, claim):
        raise RuleViolation("wrong_claim_code", "T-1", "This code does not open the seat.")
    if entropy and table.status != OPEN:
        raise RuleViolation(
            "too_late_for_entropy", "T-5", "A seat handed over in play has no say in chance."
        )
    if entropy and table.created.tournament is not None:
        raise RuleViolation(
            "no_entropy", "T-14", "The tables of a tournament have one chance; no seat adds to it."
        )
    return [SeatClaimed(seat, name, entropy, token)]


def decide_expiry(table: Table, seat: int, now: int, *, passing: bool) -> list[Event]:
    """Returns what it states that a seat's time has run out (T-8), before a pass, if one follows.

    `passing` says that the seat could pass; where it can't, a bot plays on. Raises `RuleViolation`
    ("in_time", T-8) where the seat's clock stands or its time has not come.
    """
    check_playing(table)
    until = table.clocks[seat].until if table.clocks else None
    if until is None or now < until:
        raise RuleViolation("in_time", "T-8", "The seat's time has not run out.")
    deadline = _deadline(table)
    if deadline.on_expiry == deadlines.RESIGN:
        return [Expired(seat, deadlines.RESIGN), *_given_up(table, seat)]
    if deadline.on_expiry == deadlines.PASSING and passing:
        return [Expired(seat, deadlines.PASSING)]
    level = deadline.level or LEVELS[0]
    given = SeatGivenToBot(seat, level)
    return [Expired(seat, deadlines.BOT), given, *_agreed_without(table, seat)]


def first_to_expire(table: Table) -> tuple[int, int] | None:
    """Returns the time that runs out next, and whose it is; None while no clock runs."""
    running = [
        (clock.until, seat) for seat, clock in enumerate(table.clocks) if clock.until is not None
    ]
    return min(running, default=None)


def proceed(table: Table) -> list[Event]:
    """Returns what the table does by itself: it starts once all seats are filled (T-1)."""
    if table.status == OPEN and table.created.start == "full" and _full(table):
        return [GameStarted()]
    return []


def check_may_play(table: Table, party: Party) -> int:
    """Returns the seat that may send game commands. Raises `RuleViolation` with a T-… rule."""
    check_playing(table)
    return _own_seat(table, party, "T-11")


def check_bot(table: Table, seat: int) -> None:
    """Raises `RuleViolation` (T-4) unless the game is played and a bot plays the seat."""
    check_playing(table)
    if not table.seats[seat].bot:
        raise RuleViolation("not_a_bot", "T-4", "No bot plays this seat.")


def check_playing(table: Table) -> None:
    """Raises `RuleViolation` before the start (T-1) and once play has ended (T-10)."""
    _check_over(table)
    _check_playing(table, "T-1")


def legal(table: Table, party: Party, moment: Moment) -> list[Command]:
    """Returns exactly the commands that `decide` accepts from the party, in the book's order."""
    return [
        command
        for command in _ALL
        if _accepted(lambda command=command: decide(table, party, command, moment))  # type: ignore[misc]
    ]


def evolve(table: Table, event: Event) -> None:
    """Applies an event in place; those of the game itself change nothing. Never raises."""
    apply = _APPLIERS.get(type(event))
    if apply is not None:
        apply(table, event)


def note_decision(
    table: Table, before: int, seats: Iterable[int], drew: bool, move: Plain = None
) -> None:
    """Notes that an append with game commands (the last of them `move`) came after version

    `before`; voids an open question about taking back (T-7). The clocks of the seats stand from
    `moved` on (T-8).
    """
    seats = frozenset(seats)
    gained = tuple((seat, _stop(table, seat)) for seat in sorted(seats) if table.clocks)
    table.decisions = (table.decisions, Decision(before, seats, drew, gained, move))
    table.asked = None
    table.agreed = frozenset()


def settle(table: Table, waiting: Iterable[int]) -> None:
    """Sets the clocks at an append's end, at the time `moved`: those of the people that the game

    waits for run, all others stand (T-8).
    """
    running = table.people.intersection(waiting)
    table.clocks = tuple(
        deadlines.settled(_deadline(table), clock, table.moved, seat in running)
        for seat, clock in enumerate(table.clocks)
    )


def undo_range(table: Table) -> tuple[int, tuple[Decision, ...]] | None:
    """Returns what `undo` takes back (T-7): the version before the last append in which a person

    decided, and the decisions from there on; None when there is none.
    """
    taken: list[Decision] = []
    link = table.decisions
    while link is not None:
        link, decision = link
        taken.append(decision)
        if decision.seats & table.people:
            return decision.before, tuple(taken)
    return None


def _check_over(table: Table) -> None:
    if table.status not in (OPEN, PLAYING):  # T-10
        raise RuleViolation("game_over", "T-10", "The game is over.")


def _full(table: Table) -> bool:
    return all(seat.filled for seat in table.seats)


def _own_seat(table: Table, party: Party, rule: str) -> int:
    if party.seat is None or party.host:
        raise RuleViolation("not_a_seat", rule, "Only the seat itself may do this.")
    seat = table.seats[party.seat]
    if seat.resigned:
        raise RuleViolation("seat_resigned", "T-2", "The seat has resigned.")
    if seat.bot:
        raise RuleViolation("played_by_bot", "T-4", "A bot plays this seat.")
    return party.seat


def _check_playing(table: Table, rule: str) -> None:
    if table.status != PLAYING:
        raise RuleViolation("not_started", rule, "The game has not started yet.")


def _check_host(party: Party, rule: str) -> None:
    if not party.host or party.seat is not None:
        raise RuleViolation("not_the_host", rule, "Only the host may do this, for no seat.")


def _start(table: Table, party: Party, command: Start, moment: Moment) -> list[Event]:
    _check_host(party, "T-1")  # T-1
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-1", "The game has started.")
    if not _full(table):
        raise RuleViolation("seats_open", "T-1", "Not every seat is filled yet.")
    return [GameStarted()]


def _resign(table: Table, party: Party, command: Resign, moment: Moment) -> list[Event]:
    _check_playing(table, "T-2")
    return _given_up(table, _own_seat(table, party, "T-2"))  # T-2


def _given_up(table: Table, seat: int) -> list[Event]:
    if len(table.seats) == 2:
        return [SeatResigned(seat, None), PlayEnded("T-2", seat)]
    return [SeatResigned(seat, LEVELS[0]), *_agreed_without(table, seat)]


def _abandon(table: Table, party: Party, command: Abandon, moment: Moment) -> list[Event]:
    _check_host(party, "T-3")  # T-3
    return [Abandoned("host", table.shown)]


def _give_to_bot(table: Table, party: Party, command: GiveToBot, moment: Moment) -> list[Event]:
    _check_playing(table, "T-4")  # T-4
    if party.seat is None:
        raise RuleViolation("not_a_seat", "T-4", "It takes a seat to give to a bot.")
    seat = table.seats[party.seat]
    if party.host:
        idle = (
            not seat.bot
            and party.seat in moment.waiting
            and moment.now - table.moved >= table.created.patience
        )
        if not seat.resigned and not idle:
            raise RuleViolation(
                "seat_not_idle", "T-4", "The seat has neither resigned nor kept the game waiting."
            )
    else:
        _own_seat(table, party, "T-4")
    if seat.bot and seat.level == command.level:
        raise RuleViolation("same_level", "T-4", "A bot of this level plays the seat.")
    return [SeatGivenToBot(party.seat, command.level), *_agreed_without(table, party.seat)]


def _hand_over(table: Table, party: Party, command: HandOver, moment: Moment) -> list[Event]:
    seat = _own_seat(table, party, "T-5")  # T-5
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-5", "Nobody has the seat.")
    if table.hand_overs >= MOST_HAND_OVERS:
        raise RuleViolation("too_often", "T-5", "Seats of this table were handed over too often.")
    return [SeatHandedOver(seat, table.hand_overs + 1, moment.code)]


def _leave(table: Table, party: Party, command: Leave, moment: Moment) -> list[Event]:
    seat = _own_seat(table, party, "T-6")  # T-6
    if table.status != OPEN:
        raise RuleViolation("already_started", "T-6", "The game has started.")
    if not table.seats[seat].filled:
        raise RuleViolation("seat_open", "T-6", "Nobody has the seat.")
    return [SeatLeft(seat)]


def _undo(table: Table, party: Party, command: Undo, moment: Moment) -> list[Event]:
    _check_playing(table, "T-7")
    seat = _own_seat(table, party, "T-7")  # T-7
    if table.asked is not None:
        raise RuleViolation("undo_asked", "T-7", "Taking back has been asked for already.")
    found = undo_range(table)
    if found is None:
        raise RuleViolation("nothing_to_undo", "T-7", "No person's move can be taken back.")
    to_version, taken = found
    own = taken[-1].seats == {seat} and not any(decision.drew for decision in taken)
    if own or table.people == {seat}:
        return [Undone(to_version)]
    return [UndoAsked(seat, to_version)]


def _agreed_without(table: Table, seat: int) -> list[Event]:
    """Returns the taking back that was asked for, if every person but this seat has agreed."""
    asked = table.asked
    if asked is None or not table.people <= table.agreed | {seat, asked.seat}:  # T-7
        return []
    return [Undone(asked.to_version)]


def _answering(table: Table, party: Party) -> int:
    _check_playing(table, "T-7")
    seat = _own_seat(table, party, "T-7")  # T-7
    if table.asked is None:
        raise RuleViolation("undo_not_asked", "T-7", "Nobody has asked to take anything back.")
    if seat == table.asked.seat or seat in table.agreed:
        raise RuleViolation("undo_answered", "T-7", "The seat has given its answer.")
    return seat


def _accept_undo(table: Table, party: Party, command: AcceptUndo, moment: Moment) -> list[Event]:
    seat = _answering(table, party)
    return [UndoAccepted(seat), *_agreed_without(table, seat)]


def _refuse_undo(table: Table, party: Party, command: RefuseUndo, moment: Moment) -> list[Event]:
    seat = _answering(table, party)
    return [UndoRefused(seat)]


_JUDGES: Final[dict[type, Callable[[Table, Party, Any, Moment], list[Event]]]] = {
    Start: _start,
    Resign: _resign,
    Abandon: _abandon,
    GiveToBot: _give_to_bot,
    HandOver: _hand_over,
    Leave: _leave,
    Undo: _undo,
    AcceptUndo: _accept_undo,
    RefuseUndo: _refuse_undo,
}

_ALL: Final[tuple[Command, ...]] = (
    Start(),
    Resign(),
    Abandon(),
    *(GiveToBot(level) for level in LEVELS),
    HandOver(),
    Leave(),
    Undo(),
    AcceptUndo(),
    RefuseUndo(),
)


def _deadline(table: Table) -> Deadline:
    deadline = table.created.deadline
    assert deadline is not None  # noqa: S101 - there are clocks
    return deadline


def _set_clock(table: Table, seat: int, clock: Clock) -> None:
    table.clocks = (*table.clocks[:seat], clock, *table.clocks[seat + 1 :])


def _stop(table: Table, seat: int) -> int:
    """Lets the clock of a seat that moved stand; returns what the seat gained. Bots have none."""
    if table.seats[seat].bot:
        return 0
    clock, gained = deadlines.moved(_deadline(table), table.clocks[seat], table.moved)
    _set_clock(table, seat, clock)
    return gained


def _accepted(judge: Callable[[], object]) -> bool:
    try:
        judge()
    except RuleViolation:
        return False
    return True


def _change(table: Table, seat: int, **changes: Any) -> None:
    table.seats[seat] = replace(table.seats[seat], **changes)


def _claimed(table: Table, event: SeatClaimed) -> None:
    entropy = event.entropy if table.status == OPEN else table.seats[event.seat].entropy
    _change(
        table,
        event.seat,
        kind="human",
        name=event.name,
        token=event.token,
        claim=None,
        entropy=entropy,
    )


def _left(table: Table, event: SeatLeft) -> None:
    _change(
        table,
        event.seat,
        name=table.created.seats[event.seat].name,
        token=None,
        claim=table.created.claims[event.seat],
        entropy="",
    )


def _handed_over(table: Table, event: SeatHandedOver) -> None:
    _change(table, event.seat, claim=event.claim)
    table.hand_overs = event.number


def _started(table: Table, event: GameStarted) -> None:
    table.status = PLAYING


def _resigned(table: Table, event: SeatResigned) -> None:
    kind = "human" if event.level is None else "bot"
    _change(table, event.seat, resigned=True, claim=None, kind=kind, level=event.level)


def _given_to_bot(table: Table, event: SeatGivenToBot) -> None:
    _change(table, event.seat, kind="bot", level=event.level, claim=None)


def _play_ended(table: Table, event: PlayEnded) -> None:
    table.status = SCORING
    table.law_ended = event.resigned is None


def _asked(table: Table, event: UndoAsked) -> None:
    table.asked = event
    table.agreed = frozenset()


def _accepted_undo(table: Table, event: UndoAccepted) -> None:
    table.agreed |= {event.seat}


def _refused(table: Table, event: UndoRefused) -> None:
    table.asked = None
    table.agreed = frozenset()


def _undone(table: Table, event: Undone) -> None:
    table.asked = None
    table.agreed = frozenset()
    while table.decisions is not None and table.decisions[1].before >= event.to_version:
        table.decisions, decision = table.decisions
        for seat, gained in decision.gained:
            _set_clock(table, seat, deadlines.taken_back(table.clocks[seat], gained))


def _expired(table: Table, event: Expired) -> None:
    _set_clock(table, event.seat, deadlines.run_out(_deadline(table)))


def _token_replaced(table: Table, event: TokenReplaced) -> None:
    if compare_digest(table.host, event.old):
        table.host = event.new
    for number, seat in enumerate(table.seats):
        if seat.token is not None and compare_digest(seat.token, event.old):
            _change(table, number, token=event.new)


def _law_changed(table: Table, event: LawChanged) -> None:
    table.law = event.law


def _abandoned(table: Table, event: Abandoned) -> None:
    table.status = ABANDONED
    table.reason = event.reason


def _final_scored(table: Table, event: FinalScored) -> None:
    table.status = FINISHED
    table.final = event


def _seed_revealed(table: Table, event: SeedRevealed) -> None:
    table.revealed = True


_APPLIERS: Final[dict[type, Callable[[Table, Any], None]]] = {
    SeatClaimed: _claimed,
    SeatLeft: _left,
    SeatHandedOver: _handed_over,
    GameStarted: _started,
    SeatResigned: _resigned,
    SeatGivenToBot: _given_to_bot,
    Expired: _expired,
    PlayEnded: _play_ended,
    UndoAsked: _asked,
    UndoAccepted: _accepted_undo,
    UndoRefused: _refused,
    Undone: _undone,
    TokenReplaced: _token_replaced,
    LawChanged: _law_changed,
    Abandoned: _abandoned,
    FinalScored: _final_scored,
    SeedRevealed: _seed_revealed,
}
