"""The table's own events.

An event's `sealed` names the fields that never leave the service, `reveals` those that leave it
only once the event is committed: a dry run hides them. What a game's chance is made of is sealed
in `game_created` and revealed by the event that ends the game; hashes of tokens and codes stay
sealed for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from ...bot_levels import LEVELS
from ...rules.described import Event, Structure
from ...rules.kinds import Flag, Free, Many, Maybe, OneOf, Text, Whole
from ...rules.ruleset import MAX_SEATS
from .clocks import EXPIRY_ACTIONS, Deadline

HASH: Final = Text(64, 64)
SEAT: Final = Whole(0, MAX_SEATS - 1)
NAME: Final = Text(80, 1)
VISIBILITIES: Final = ("public", "private")
START_MODES: Final = ("full", "host")
MAX_TABLES: Final = 100
MAX_BOT_DELAY: Final = 10_000
MAX_PAST: Final = 20_000
FAILED: Final = "failed"
OVERRAN: Final = "overran"
REPLACEMENT_REASONS: Final = (FAILED, OVERRAN)
"""Why another level moves instead: it failed, or exceeded its time or simulations."""
ABANDON_REASONS: Final = ("host", "idle", "expired", "chance_exhausted")


@dataclass(frozen=True, slots=True)
class TableEvent(Event):
    """A table event's base class."""

    sealed: ClassVar[tuple[str, ...]] = ()
    reveals: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """A seat as the creator planned it. `name` is null while nobody has it."""

    kind: Annotated[str, OneOf(("human", "bot")), "who plays: a person's client or a bot"]
    name: Annotated[str | None, Maybe(NAME), "the name shown"] = None
    level: Annotated[str | None, Maybe(OneOf(LEVELS)), "a bot's level"] = None


@dataclass(frozen=True, slots=True)
class Place:
    """A position of another game."""

    game: Annotated[str, Text(26, 26), "the game's id"]
    version: Annotated[int, Whole(1, 10**9), "the version"]


@dataclass(frozen=True, slots=True)
class Imported:
    """A record that a game was imported from."""

    game: Annotated[str, Text(64), "the game's id in the record"]
    digest: Annotated[str, HASH, "SHA-256 of the record as it was sent"]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A table of a duplicate tournament."""

    id: Annotated[str, Text(26, 26), "the tournament's id"]
    table: Annotated[int, Whole(0, MAX_TABLES - 1), "the table's number"]
    tables: Annotated[int, Whole(1, MAX_TABLES), "how many tables there are"]


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event of the game played, as another stream has it."""

    type: Annotated[str, Text(64, 1), "its type"]
    schema: Annotated[int, Whole(1, 10_000), "the version of its form"]
    data: Annotated[Any, Free(), "its data"]


@dataclass(frozen=True, slots=True)
class GameCreated(TableEvent):
    """A game was created. `sealed_chance`: the seed, or arranged outcomes beside random bits."""

    type: ClassVar[str] = "game_created"
    schema: ClassVar[int] = 2
    sealed: ClassVar[tuple[str, ...]] = ("sealed_chance", "host", "watch", "claims")
    game: Annotated[str, Text(26, 26), "the game's id"]
    ruleset: Annotated[str, Text(64), "the ruleset's id"]
    law: Annotated[int, Whole(1, 1_000_000), "the ruleset's version"]
    options: Annotated[Any, Free(), "the options, every one named"]
    seats: Annotated[tuple[SeatPlan, ...], Many(Structure(SeatPlan), MAX_SEATS), "the seats"]
    visibility: Annotated[str, OneOf(VISIBILITIES), "who may read: anyone, or the table (T-9)"]
    start: Annotated[str, OneOf(START_MODES), "what starts it: the last claim, or the host (T-1)"]
    chance: Annotated[str, OneOf(("sealed", "arranged")), "where the draws come from"]
    chance_id: Annotated[str, Text(64), "the id in the draws' derivation"]
    commitment: Annotated[str, HASH, "SHA-256 of what is sealed"]
    patience: Annotated[int, Whole(0, 10**12), "ms after which a waiting seat counts as idle"]
    sealed_chance: Annotated[Any, Free(), "the seed, or bits and outcomes"]
    host: Annotated[str, HASH, "hash of the host's token"]
    watch: Annotated[str | None, Maybe(HASH), "hash of the watch code"]
    claims: Annotated[
        tuple[str | None, ...], Many(Maybe(HASH), MAX_SEATS), "hashes of the claim codes"
    ]
    deadline: Annotated[
        Deadline | None, Maybe(Structure(Deadline)), "how long people may take (T-8)"
    ] = None
    bot_delay: Annotated[
        int,
        Whole(0, MAX_BOT_DELAY),
        "minimum ms between a bot's move and the event before it (T-4)",
    ] = 0
    forked_from: Annotated[
        Place | None, Maybe(Structure(Place)), "the position that it branches off from (T-12)"
    ] = None
    rematch_of: Annotated[
        str | None, Maybe(Text(26, 26)), "the game that it is the rematch of (T-13)"
    ] = None
    imported: Annotated[
        Imported | None, Maybe(Structure(Imported)), "the record that it was imported from"
    ] = None
    tournament: Annotated[
        Duplicate | None, Maybe(Structure(Duplicate)), "the tournament it is a table of (T-14)"
    ] = None
    advice: Annotated[bool, Flag(), "whether seats may ask for a bot's advice (T-9)"] = True


@dataclass(frozen=True, slots=True)
class Forked(TableEvent):
    """The game continues from a position of another; `past` has all the events that count there."""

    type: ClassVar[str] = "forked"
    game: Annotated[str, Text(26, 26), "the other game's id"]
    version: Annotated[int, Whole(1, 10**9), "its version"]
    past: Annotated[
        tuple[PastEvent, ...],
        Many(Structure(PastEvent), MAX_PAST),
        "its own events, without those taken back",
    ]


@dataclass(frozen=True, slots=True)
class SeatClaimed(TableEvent):
    """Somebody took a seat."""

    type: ClassVar[str] = "seat_claimed"
    sealed: ClassVar[tuple[str, ...]] = ("token",)
    seat: Annotated[int, SEAT, "the seat"]
    name: Annotated[str, NAME, "the name shown"]
    entropy: Annotated[str, Text(64), "what the seat adds to the chance"]
    token: Annotated[str, HASH, "hash of the client's token"]


@dataclass(frozen=True, slots=True)
class SeatLeft(TableEvent):
    """A seat is open again, under its first claim code."""

    type: ClassVar[str] = "seat_left"
    seat: Annotated[int, SEAT, "the seat"]


@dataclass(frozen=True, slots=True)
class SeatHandedOver(TableEvent):
    """A seat may be claimed by somebody else, under a new claim code."""

    type: ClassVar[str] = "seat_handed_over"
    sealed: ClassVar[tuple[str, ...]] = ("claim",)
    seat: Annotated[int, SEAT, "the seat"]
    number: Annotated[int, Whole(1, 10_000), "how many times the table has handed seats over"]
    claim: Annotated[str, HASH, "hash of the new claim code"]


@dataclass(frozen=True, slots=True)
class GameStarted(TableEvent):
    """The table is complete; the set-up follows."""

    type: ClassVar[str] = "game_started"


@dataclass(frozen=True, slots=True)
class SeatResigned(TableEvent):
    """A seat gave up. With more than two seats a bot of this level plays on."""

    type: ClassVar[str] = "seat_resigned"
    seat: Annotated[int, SEAT, "the seat"]
    level: Annotated[str | None, Maybe(OneOf(LEVELS)), "the level of the bot that plays on"]


@dataclass(frozen=True, slots=True)
class SeatGivenToBot(TableEvent):
    """A bot plays the seat from now on."""

    type: ClassVar[str] = "seat_given_to_bot"
    seat: Annotated[int, SEAT, "the seat"]
    level: Annotated[str, OneOf(LEVELS), "the bot's level"]


@dataclass(frozen=True, slots=True)
class Expired(TableEvent):
    """A seat's time has run out (T-8). What follows from it comes right after."""

    type: ClassVar[str] = "expired"
    seat: Annotated[int, SEAT, "the seat"]
    following: Annotated[str, OneOf(EXPIRY_ACTIONS), "a bot plays on, the seat resigns, or passes"]


@dataclass(frozen=True, slots=True)
class UndoAsked(TableEvent):
    """A seat requests that all game events after a version be taken back."""

    type: ClassVar[str] = "undo_asked"
    seat: Annotated[int, SEAT, "who asks"]
    to_version: Annotated[int, Whole(1, 10**9), "the last version that would still count"]


@dataclass(frozen=True, slots=True)
class UndoAccepted(TableEvent):
    """A seat accepts the take-back."""

    type: ClassVar[str] = "undo_accepted"
    seat: Annotated[int, SEAT, "who accepts"]


@dataclass(frozen=True, slots=True)
class UndoRefused(TableEvent):
    """A seat refuses the take-back: the request is closed."""

    type: ClassVar[str] = "undo_refused"
    seat: Annotated[int, SEAT, "who refuses"]


@dataclass(frozen=True, slots=True)
class Undone(TableEvent):
    """The game's own events after `to_version` and before this one no longer count."""

    type: ClassVar[str] = "undone"
    to_version: Annotated[int, Whole(1, 10**9), "the last version that counts"]


@dataclass(frozen=True, slots=True)
class TokenReplaced(TableEvent):
    """A client uses another token from now on."""

    type: ClassVar[str] = "token_replaced"
    sealed: ClassVar[tuple[str, ...]] = ("old", "new")
    old: Annotated[str, HASH, "hash of the old token"]
    new: Annotated[str, HASH, "hash of the new token"]


@dataclass(frozen=True, slots=True)
class LawChanged(TableEvent):
    """The game continues under another version of its ruleset."""

    type: ClassVar[str] = "law_changed"
    law: Annotated[int, Whole(1, 1_000_000), "the ruleset's version from here on"]


@dataclass(frozen=True, slots=True)
class Abandoned(TableEvent):
    """The game ended without a winner; what was sealed of its chance is revealed."""

    type: ClassVar[str] = "abandoned"
    reveals: ClassVar[tuple[str, ...]] = ("revealed",)
    reason: Annotated[str, OneOf(ABANDON_REASONS), "why"]
    revealed: Annotated[Any, Free(), "the seed, or bits and outcomes; null in a tournament"]


@dataclass(frozen=True, slots=True)
class FinalScored(TableEvent):
    """The result, itemised, with ranks; what was sealed of the chance is revealed."""

    type: ClassVar[str] = "final_scored"
    reveals: ClassVar[tuple[str, ...]] = ("revealed",)
    score: Annotated[Any, Free(), "the scoring"]
    resigned: Annotated[tuple[int, ...], Many(SEAT, MAX_SEATS), "seats that resigned"]
    revealed: Annotated[Any, Free(), "the seed, or bits and outcomes; null in a tournament"]
    law_ended: Annotated[bool, Flag(), "whether the rules, not a resignation, ended play"]


@dataclass(frozen=True, slots=True)
class SeedRevealed(TableEvent):
    """All tables of a tournament are over; what was sealed of their chance is revealed (T-14)."""

    type: ClassVar[str] = "seed_revealed"
    reveals: ClassVar[tuple[str, ...]] = ("revealed",)
    revealed: Annotated[Any, Free(), "the seed, or bits and outcomes"]


EVENTS: Final[Mapping[str, type[TableEvent]]] = {
    event.type: event
    for event in (
        GameCreated,
        Forked,
        SeatClaimed,
        SeatLeft,
        SeatHandedOver,
        GameStarted,
        SeatResigned,
        SeatGivenToBot,
        Expired,
        UndoAsked,
        UndoAccepted,
        UndoRefused,
        Undone,
        TokenReplaced,
        LawChanged,
        Abandoned,
        FinalScored,
        SeedRevealed,
    )
}
