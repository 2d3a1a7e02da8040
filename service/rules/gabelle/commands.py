"""What a guild may send, in the order of the rule book's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ..described import Command, Structure
from ..kinds import Many, OneOf, Whole
from .tables import CAPACITY, CITIES, MATERIALS, MAX_WORKSHOPS, NUMBERS

LIVRES: Final = Whole(0, 100_000)
WORKSHOP: Final = OneOf(NUMBERS)
MATERIAL_ID: Final = OneOf(MATERIALS)
CITY_ID: Final = OneOf(CITIES)
UNITS: Final = Whole(0, max(CAPACITY))


@dataclass(frozen=True, slots=True)
class NameWorkshop(Command):
    """Puts an open card up for auction with a first bid."""

    type: ClassVar[str] = "name_workshop"
    rule: ClassVar[str] = "G-4.1"
    text: ClassVar[str] = "Put workshop {workshop} up and bid {bid} L"
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    bid: Annotated[int, LIVRES, "the first bid, in L"]


@dataclass(frozen=True, slots=True)
class Decline(Command):
    """Passes as the namer: out of this auction phase."""

    type: ClassVar[str] = "decline"
    rule: ClassVar[str] = "G-4.3"
    text: ClassVar[str] = "Buy no workshop in this round"


@dataclass(frozen=True, slots=True)
class Raise(Command):
    """Bids more for the card that is up."""

    type: ClassVar[str] = "raise"
    rule: ClassVar[str] = "G-4.1"
    text: ClassVar[str] = "Bid {bid} L"
    bid: Annotated[int, LIVRES, "the new bid, in L"]


@dataclass(frozen=True, slots=True)
class Drop(Command):
    """Bids no more for the card that is up."""

    type: ClassVar[str] = "drop"
    rule: ClassVar[str] = "G-4.1"
    text: ClassVar[str] = "Drop out of the bidding for this workshop"


@dataclass(frozen=True, slots=True)
class DiscardWorkshop(Command):
    """Discards one of four workshops; it leaves the game."""

    type: ClassVar[str] = "discard_workshop"
    rule: ClassVar[str] = "G-4.4"
    text: ClassVar[str] = "Discard workshop {workshop}"
    workshop: Annotated[int, WORKSHOP, "the card's number"]


@dataclass(frozen=True, slots=True)
class KeepStock(Command):
    """Chooses which material to keep where not all of it fits any more."""

    type: ClassVar[str] = "keep_stock"
    rule: ClassVar[str] = "G-4.4"
    text: ClassVar[str] = "Keep {wood} wood, {iron} iron, {wool} wool and {salt} salt"
    wood: Annotated[int, UNITS, "units of wood kept"]
    iron: Annotated[int, UNITS, "units of iron kept"]
    wool: Annotated[int, UNITS, "units of wool kept"]
    salt: Annotated[int, UNITS, "units of salt kept"]


@dataclass(frozen=True, slots=True)
class Buy(Command):
    """Buys units of one material, each at the price it has as the shelf empties."""

    type: ClassVar[str] = "buy"
    rule: ClassVar[str] = "G-5.1"
    text: ClassVar[str] = "Buy {units} units of {material}"
    material: Annotated[str, MATERIAL_ID, "the material"]
    units: Annotated[int, Whole(1, max(CAPACITY)), "how many units"]


@dataclass(frozen=True, slots=True)
class EndBuying(Command):
    """Buys no more in this round."""

    type: ClassVar[str] = "end_buying"
    rule: ClassVar[str] = "G-5.1"
    text: ClassVar[str] = "Buy no more materials"


@dataclass(frozen=True, slots=True)
class Build(Command):
    """Builds a post in a city, by the cheapest way."""

    type: ClassVar[str] = "build"
    rule: ClassVar[str] = "G-6.1"
    text: ClassVar[str] = "Build a post in {city}"
    city: Annotated[str, CITY_ID, "the city"]


@dataclass(frozen=True, slots=True)
class EndBuilding(Command):
    """Builds no more in this round."""

    type: ClassVar[str] = "end_building"
    rule: ClassVar[str] = "G-6.1"
    text: ClassVar[str] = "Build no more posts"


@dataclass(frozen=True, slots=True)
class Run:
    """One workshop that is run, and what it consumes."""

    text: ClassVar[str] = "{workshop} (wood {wood}, iron {iron}, wool {wool}, salt {salt})"
    workshop: Annotated[int, WORKSHOP, "the card's number"]
    wood: Annotated[int, UNITS, "units of wood"]
    iron: Annotated[int, UNITS, "units of iron"]
    wool: Annotated[int, UNITS, "units of wool"]
    salt: Annotated[int, UNITS, "units of salt"]


RUNS: Final = Many(Structure(Run), MAX_WORKSHOPS)


@dataclass(frozen=True, slots=True)
class Produce(Command):
    """Runs workshops, sorted by number; an empty list runs none."""

    type: ClassVar[str] = "produce"
    rule: ClassVar[str] = "G-7.1"
    text: ClassVar[str] = "Run workshops: {runs}"
    runs: Annotated[tuple[Run, ...], RUNS, "the workshops run and what each consumes"]


COMMANDS: Final[Mapping[str, type[Command]]] = {
    command.type: command
    for command in (
        NameWorkshop,
        Decline,
        Raise,
        Drop,
        DiscardWorkshop,
        KeepStock,
        Buy,
        EndBuying,
        Build,
        EndBuilding,
        Produce,
    )
}

# The same few commands are listed over and over; each is made once.
DECLINE: Final = Decline()
DROP: Final = Drop()
END_BUYING: Final = EndBuying()
END_BUILDING: Final = EndBuilding()
DISCARDS: Final = {number: DiscardWorkshop(number) for number in NUMBERS}
BUYS: Final = tuple(
    tuple(Buy(material, units) for units in range(1, capacity + 1))
    for material, capacity in zip(MATERIALS, CAPACITY, strict=True)
)
"""By material and units - 1."""
BUILDS: Final = tuple(map(Build, CITIES))
_NAMES: Final[dict[int, list[NameWorkshop]]] = {number: [] for number in NUMBERS}
_RAISES: Final[list[Raise]] = []


def namings(workshop: int, first: int, last: int) -> list[NameWorkshop]:
    """Returns the commands that put a card up, one for each bid from `first` to `last`."""
    made = _NAMES[workshop]
    while len(made) <= last:
        made.append(NameWorkshop(workshop, len(made)))
    return made[first : last + 1]


def raises(first: int, last: int) -> list[Raise]:
    """Returns the commands that raise to each bid from `first` to `last`."""
    while len(_RAISES) <= last:
        _RAISES.append(Raise(len(_RAISES)))
    return _RAISES[first : last + 1]
