"""What Orléans is played with, with names in English, Portuguese and French."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..described import Component
from .tables import (
    COUNTS,
    DEED_DATA,
    GOODS_SPACES,
    LINK_SPACES,
    MAP,
    PLACE_ASKS,
    PLACE_DATA,
)


def _components() -> Iterator[Component]:
    for town in MAP["towns"]:
        yield _component("town", town)
    names = {town["id"]: town["names"] for town in MAP["towns"]}
    for number, link in enumerate(MAP["links"]):
        start, end = (names[town] for town in link["towns"])
        kind = MAP["kinds"][link["kind"]]
        least = [GOODS_SPACES[space][2] for space in LINK_SPACES[number]]
        yield Component(
            link["kind"],
            link["id"],
            {word: f"{kind[word]} {start[word]}–{end[word]}" for word in kind},
            {"towns": link["towns"], "goods_spaces": least},
        )
    places = [("place", place) for place in PLACE_DATA["places"]]
    places += [("place_tile", tile) for tile in PLACE_DATA["place_tiles"]]
    for (sort, place), spaces in zip(places, PLACE_ASKS, strict=True):
        yield _component(sort, {**place, "spaces": list(spaces)})
    for sort in ("follower", "good", "event"):
        for entry in COUNTS[f"{sort}s"]:
            yield _component(sort, entry)
    for deed in DEED_DATA:
        yield _component("deed", deed)
    for citizen in COUNTS["citizens"]:
        yield _component("citizen", citizen)
    for deed in DEED_DATA:
        yield Component("citizen", deed["id"], deed["names"], {})
    yield _component("citizen", COUNTS["last_citizen"])


def _component(kind: str, entry: dict[str, Any]) -> Component:
    facts = {name: entry[name] for name in entry if name not in ("id", "names")}
    return Component(kind, entry["id"], entry["names"], facts)


COMPONENTS: Final = tuple(_components())
