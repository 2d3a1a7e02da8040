"""The data hold the totals of the published game; names are there in three languages."""

from __future__ import annotations

from collections import Counter

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.tables import (
    ASKS,
    COUNTS,
    DEED_COINS,
    DEED_DATA,
    DEED_POINTS,
    DOUBTFUL,
    DRAWS,
    GOODS_COUNTS,
    GOODS_SPACES,
    KINDS,
    LAID,
    LINK_KINDS,
    LINKS,
    MAP,
    NEUTRAL,
    PLACE_ASKS,
    PLACE_DATA,
    PLACES,
    STATUS,
    TOWNS,
    TRACKS,
)

PARTS = Counter(component.kind for component in RULESET.components)


def test_the_map_is_whole() -> None:
    """O-1.5: 23 towns, 29 roads, 14 waterways, 43, 48 or 52 goods spaces."""
    assert len(TOWNS) == 23
    assert Counter(LINK_KINDS) == {"road": 29, "waterway": 14}
    assert {seats: len(spaces) for seats, spaces in LAID.items()} == {2: 43, 3: 48, 4: 52}
    assert len(GOODS_SPACES) == 52
    assert len(set(LINKS)) == 43
    for link in MAP["links"]:
        assert link["id"] == "-".join((*link["towns"], link["kind"]))
        assert set(link["towns"]) <= set(TOWNS)


def test_every_town_has_its_ways() -> None:
    """O-4.6: how many roads and waterways meet in each town; all towns can be reached."""
    roads = dict.fromkeys(TOWNS, 0)
    waters = dict.fromkeys(TOWNS, 0)
    for link in MAP["links"]:
        for town in link["towns"]:
            (roads if link["kind"] == "road" else waters)[town] += 1
    assert list(roads.values()) == [
        4, 4, 2, 4, 4, 3, 3, 2, 1, 1, 1, 1, 3, 2, 3, 1, 2, 1, 5, 2, 3, 3, 3,
    ]  # fmt: skip
    assert list(waters.values()) == [
        2, 0, 0, 0, 0, 0, 0, 2, 2, 4, 3, 2, 3, 1, 1, 2, 1, 2, 0, 1, 1, 0, 1,
    ]  # fmt: skip
    reached = {"orleans"}
    for _ in TOWNS:
        for link in MAP["links"]:
            if reached & set(link["towns"]):
                reached |= set(link["towns"])
    assert reached == set(TOWNS)


def test_pieces_are_counted() -> None:
    """O-1.3, O-1.6: goods, followers, tiles, deeds, citizens, hourglass tiles."""
    assert sum(GOODS_COUNTS) == 90
    assert {seats: sum(counts) for seats, counts in NEUTRAL.items()} == {2: 54, 3: 71, 4: 88}
    assert NEUTRAL[2] == [12, 6, 6, 6, 8, 8, 8]
    assert NEUTRAL[3] == [14, 8, 8, 8, 11, 11, 11]
    assert NEUTRAL[4] == [16, 10, 10, 10, 14, 14, 14]
    assert sum(NEUTRAL[4]) + 4 * 4 == 104
    assert COUNTS["technology_tiles"] == 16
    assert Counter(tile["stack"] for tile in PLACE_DATA["place_tiles"]) == {"I": 12, "II": 8}
    assert sum(sum(deed["slots"].values()) for deed in DEED_DATA) == 45
    assert [sum(deed["slots"].values()) for deed in DEED_DATA] == [10, 3, 5, 3, 4, 6, 4, 10]
    assert DEED_COINS == (1, 3, 2, 1, 1, 2, 2, 1)
    assert DEED_POINTS == (0, 0, 0, 0, 0, 0, 0, 1)
    assert sum(entry["count"] for entry in COUNTS["events"]) == COUNTS["rounds"] == 18
    assert PARTS == {
        "town": 23, "road": 29, "waterway": 14, "place": 10, "place_tile": 20, "deed": 8,
        "citizen": 14, "follower": 7, "good": 5, "event": 6,
    }  # fmt: skip


def test_tracks_are_whole() -> None:
    """O-3.5, O-3.6: what tracks give, and the status on each space."""
    assert [len(track) for track in TRACKS] == [8, 5, 5, 5, 5, 5, 0]
    assert DRAWS == (4, 5, 6, 7, 7, 8)
    assert [STATUS.index(status) for status in range(1, 7)] == [0, 4, 9, 15, 22, 30]
    assert COUNTS["development"]["coins"] == {"7": 3, "12": 4, "25": 5}


def test_spaces_of_the_board() -> None:
    """O-4: what the places of the player board ask for."""
    asks = {place: "".join(ask[0] for ask in PLACE_ASKS[at]) for at, place in enumerate(PLACES)}
    assert [asks[place] for place in PLACES[:10]] == [
        "bc", "fbc", "fct", "fbt", "st", "fbk", "ftk", "fck", "ks", "nn",
    ]  # fmt: skip
    assert set(ASKS) <= {*KINDS, "any", "neutral", "market"}


def test_doubtful_figures_stand_in_one_place() -> None:
    """O-1.6: what is in doubt stands in no other file."""
    doubtful = DOUBTFUL["spaces_of_place_tiles"]
    assert len(doubtful) == 12
    for tile in PLACE_DATA["place_tiles"]:
        assert ("spaces" in tile) != (tile["id"] in doubtful)
    for link in MAP["links"]:
        assert ("goods_spaces" in link) != (link["id"] in DOUBTFUL["goods_spaces_of_links"])
    assert DOUBTFUL["goods_spaces_of_links"] == {"briare-sancerre-waterway": [2, 3]}


@pytest.mark.parametrize(
    ("kind", "id", "names"),
    [
        ("town", "orleans", "Orléans Orléans Orléans"),
        ("place", "farm_house", "Farm House|Casa de Fazenda|Ferme"),
        ("place_tile", "pharmacy", "Pharmacy|Botica|Apothicairerie"),
        ("good", "wool", "Wool|Lã|Laine"),
        ("follower", "scholar", "Scholar|Erudito|Érudit"),
        ("event", "harvest", "Harvest|Safra|Moisson"),
        ("deed", "cathedral", "Building the Cathedral|Construção da Catedral|"),
        ("road", "chartres-orleans-road", "Road Chartres–Orléans|Estrada Chartres–Orléans|Route"),
    ],
)
def test_names(kind: str, id: str, names: str) -> None:
    (found,) = [part for part in RULESET.components if (part.kind, part.id) == (kind, id)]
    told = list(found.names.values())
    for name, wanted in zip(told, names.split("|") if "|" in names else names.split(), strict=True):
        assert name.startswith(wanted)


def test_everything_has_a_name_in_three_languages() -> None:
    """No name is missing or blank, and within a kind no two things share one."""
    taken: dict[tuple[str, str], set[str]] = {}
    for part in RULESET.components:
        assert list(part.names) == ["en", "pt", "fr"], part.id
        for language, name in part.names.items():
            assert name == name.strip() != ""
            known = taken.setdefault((part.kind, language), set())
            assert name not in known, name
            known.add(name)
    counts = {kind: len(names) for (kind, language), names in taken.items() if language == "en"}
    assert counts == {
        "town": 23, "road": 29, "waterway": 14, "place": 10, "place_tile": 20,
        "follower": 7, "good": 5, "event": 6, "deed": 8, "citizen": 14,
    }  # fmt: skip
