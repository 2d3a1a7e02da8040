"""What features are worth, during the game and at its end (C-3, C-4)."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..plain import Plain
from ..ruleset import Item, Scoring, ranked
from .state import OVER, SHARE, SHARE_MASK, State
from .tiles import CITY, FEATURES, FIELD, MONASTERY, ROAD, unpack

FIELD_POINTS: Final = 3
FIRST_EDITION_POINTS: Final = 4


class Worth(NamedTuple):
    """What a feature brings each of its owners, and how that is computed (C-5.1)."""

    tiles: int
    shields: int
    cities: int
    followers: tuple[int, ...]
    owners: tuple[int, ...]
    points: int


def worth(state: State, root: int) -> Worth:
    """Returns what a feature brings as it stands, complete or not; fields as in C-4.2."""
    feature = state.feature[root]
    shares = state.shares(root)
    tiles = state.covers[root].bit_count()
    shields = state.shields[root]
    complete = state.open[root] == 0
    cities = 0
    if feature == CITY:  # C-3.2, C-4.1
        points = tiles + shields
        if complete:
            points = 2 * points if tiles > 2 else state.options.two_tile_city + 2 * shields
    elif feature == ROAD:  # C-3.1, C-4.1
        points = tiles
    elif feature == MONASTERY:  # C-3.3, C-4.1
        points = tiles = 9 - state.open[root]
    else:  # C-4.2
        cities = len(state.bordering(root))
        points = FIELD_POINTS * cities
    return Worth(tiles, shields, cities, tuple(shares), majority(shares), points)


def majority(shares: list[int]) -> tuple[int, ...]:
    """Returns the seats with most followers; none where there are no followers (C-3.4)."""
    most = max(shares)
    return tuple(seat for seat, share in enumerate(shares) if share == most) if most else ()


def score(state: State) -> Scoring:
    """Returns the score as if play ended now, itemised: what was scored, then what is left.

    While a turn is under way a complete feature counts as complete.
    """
    items: list[list[Item]] = [[] for _ in range(state.seats)]
    for event in state.scored:
        facts: dict[str, Plain] = {
            "complete": True,
            "x": event.x,
            "y": event.y,
            "slot": event.slot,
            "tiles": event.tiles,
            "shields": event.shields,
            "followers": list(event.followers),
        }
        for owner in event.owners:
            items[owner].append(Item(event.feature, event.points, facts))
    for root in _occupied(state):
        if state.feature[root] == FIELD and state.options.field_scoring != "per_field":
            continue
        found = worth(state, root)
        facts = {"complete": state.open[root] == 0, **_facts(state, root, found)}
        for owner in found.owners:
            items[owner].append(Item(FEATURES[state.feature[root]], found.points, facts))
    if state.options.field_scoring != "per_field":
        _first_edition(state, items)
    return ranked(state.step == OVER, items)


def totals(state: State) -> list[int]:
    """Returns each seat's total of `score`, without the items."""
    sums = state.scores.copy()
    per_field = state.options.field_scoring == "per_field"
    for root in _occupied(state):
        if per_field or state.feature[root] != FIELD:
            found = worth(state, root)
            for owner in found.owners:
                sums[owner] += found.points
    if not per_field:
        for _, shares in _city_farmers(state):
            for owner in majority(shares):
                sums[owner] += FIRST_EDITION_POINTS
    return sums


def _occupied(state: State) -> list[int]:
    """Returns the features that hold followers, each once, in the order they were taken."""
    return list(dict.fromkeys(state.root(part) for _, _, part in state.followers))


def _facts(state: State, root: int, found: Worth) -> dict[str, Plain]:
    tile, slot = state.place_of(root)
    x, y = unpack(state.tiles[tile][0])
    facts: dict[str, Plain] = {"x": x, "y": y, "slot": slot}
    if state.feature[root] == FIELD:
        facts.update(complete=False, cities=found.cities)
    else:
        facts.update(tiles=found.tiles, shields=found.shields)
    return {**facts, "followers": list(found.followers)}


def _first_edition(state: State, items: list[list[Item]]) -> None:
    """Adds 4 points once for each complete city (C-4.3)."""
    for city, shares in _city_farmers(state):
        tile, slot = state.place_of(city)
        x, y = unpack(state.tiles[tile][0])
        facts: dict[str, Plain] = {"x": x, "y": y, "slot": slot, "followers": shares}
        for owner in majority(shares):
            items[owner].append(Item(FEATURES[FIELD], FIRST_EDITION_POINTS, facts))


def _city_farmers(state: State) -> list[tuple[int, list[int]]]:
    """Returns, for each complete city that fields with farmers border, all farmers on them."""
    farmers: dict[int, int] = {}
    for root in _occupied(state):
        if state.feature[root] == FIELD:
            for city in state.bordering(root):
                farmers[city] = farmers.get(city, 0) + state.men[root]
    return [
        (city, [men >> SHARE * seat & SHARE_MASK for seat in range(state.seats)])
        for city, men in farmers.items()
    ]
