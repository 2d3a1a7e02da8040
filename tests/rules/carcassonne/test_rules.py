"""Each rule of Carcassonne, by its id."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules import described
from service.rules.carcassonne import RULESET
from service.rules.carcassonne.events import FeatureScored, FollowerSkipped, TileDiscarded
from service.rules.carcassonne.options import Options
from service.rules.carcassonne.state import State
from service.rules.chance import ArrangedChance
from service.rules.described import Command
from service.rules.plain import Misshapen
from service.rules.ruleset import Outcome, PlayEnded, RuleViolation, run, start

SKIP = {"type": "skip_follower"}


def tile(x: int, y: int, rotation: int = 0) -> dict[str, Any]:
    return {"type": "place_tile", "x": x, "y": y, "rotation": rotation}


def follower(feature: str, slot: int | None) -> dict[str, Any]:
    return {"type": "place_follower", "feature": feature, "slot": slot}


class Table:
    """A game with tiles that come in a given order; `send` plays for the seat that may act."""

    def __init__(self, kinds: str, seats: int = 2, **options: Any) -> None:
        counts = tuple((kind, kinds.count(kind)) for kind in sorted(set(kinds)))
        self.chance = ArrangedChance(list(kinds))
        self.state: State
        self.state, self.last = start(RULESET, seats, Options(tiles=counts, **options), self.chance)

    def send(self, *commands: dict[str, Any], seat: int | None = None) -> Outcome:
        for command in commands:
            parsed: Command = described.parse_command(RULESET.commands, command)
            acting = self.state.seat if seat is None else seat
            self.last = run(RULESET, self.state, acting, parsed, self.chance)
        return self.last

    def refused(self, command: dict[str, Any], seat: int | None = None) -> tuple[str, str]:
        with pytest.raises(RuleViolation) as caught:
            self.send(command, seat=seat)
        return caught.value.rule, caught.value.code

    def scored(self) -> list[FeatureScored]:
        return [event for event in self.last.events if isinstance(event, FeatureScored)]

    def totals(self) -> list[int]:
        return [line.total for line in RULESET.score(self.state).seats]


def test_seats_and_reserves() -> None:
    """C-1.1: 2 to 5 seats, 7 followers each, score 0, the start seat by option."""
    for seats in RULESET.seats:
        state, _ = start(RULESET, seats, Options(start_seat=seats - 1), ArrangedChance(["U"]))
        assert (state.reserves, state.scores) == ([7] * seats, [0] * seats)
        assert RULESET.to_act(state) == (seats - 1,)
    for seats in (0, 1, 6):
        with pytest.raises(Misshapen) as caught:
            RULESET.initial(seats, Options())
        assert caught.value.pointer == "/seats"
    with pytest.raises(Misshapen) as caught:
        RULESET.initial(3, Options(start_seat=3))
    assert caught.value.pointer == "/options/start_seat"


def test_the_start_seat_by_chance() -> None:
    """C-1.1: chance says who begins, with a draw of its own before the first tile."""
    state, outcome = start(RULESET, 3, Options(start_seat="chance"), ArrangedChance(["2", "U"]))
    assert outcome.draws[0][1:] == (3, 2)
    assert RULESET.to_act(state) == (2,)


def test_the_start_tile() -> None:
    """C-1.2: kind D at (0, 0); 71 tiles are drawn, or 72 with the extra start tile."""
    state = RULESET.initial(2, Options())
    view = RULESET.view(state)
    assert view["tiles"] == [{"x": 0, "y": 0, "kind": "D", "rotation": 0, "seat": None}]
    assert view["pile"]["size"] == 71
    assert view["pile"]["kinds"]["D"] == 3
    extra = RULESET.view(RULESET.initial(2, Options(extra_start_tile=True)))
    assert extra["pile"]["size"] == 72
    assert extra["pile"]["kinds"]["D"] == 4


def test_the_pile_by_option() -> None:
    """C-1.3: exactly the kinds named are drawn; too few, too many or both options are refused."""
    view = RULESET.view(RULESET.initial(2, Options(tiles=(("B", 2), ("X", 1)))))
    assert view["pile"] == {"size": 3, "kinds": {"B": 2, "X": 1}}
    faults = (
        (Options(tiles=()), "/options/tiles"),
        (Options(tiles=(("B", 0),)), "/options/tiles"),
        (Options(tiles=(("B", 200), ("C", 101))), "/options/tiles"),
        (Options(tiles=(("B", 1),), extra_start_tile=True), "/options/extra_start_tile"),
    )
    for options, pointer in faults:
        with pytest.raises(Misshapen) as caught:
            RULESET.initial(2, options)
        assert caught.value.pointer == pointer


def test_placing() -> None:
    """C-2.1: edge to edge beside a tile, on an empty cell, every touching edge matching."""
    table = Table("UB")
    assert table.refused(tile(1, 1)) == ("C-2.1", "not_adjacent")
    assert table.refused(tile(0, 0)) == ("C-2.1", "cell_taken")
    assert table.refused(tile(1, 0, 1)) == ("C-2.1", "edges_differ")
    assert table.refused(tile(300, -300)) == ("C-2.1", "not_adjacent")
    table.send(tile(1, 0, 2))
    assert table.state.tiles[-1][3] == 0


def test_unplaceable_tiles() -> None:
    """C-2.2: a tile that fits nowhere leaves the game, and another is drawn."""
    closed = Table("EXCU")
    closed.send(tile(0, -1, 2), SKIP, tile(-1, 0), SKIP)
    discarded = [event for event in closed.last.events if isinstance(event, TileDiscarded)]
    assert [(event.kind, event.seat) for event in discarded] == [("C", 0)]
    assert closed.state.drawn >= 0
    assert RULESET.view(closed.state)["discarded"] == ["C"]


def test_followers() -> None:
    """C-2.3: one of the own reserve, on a feature of the tile just placed that nobody holds."""
    table = Table("UUU")
    table.send(tile(1, 0))
    assert table.refused(follower("city", 0)) == ("C-2.3", "no_such_feature")
    assert table.refused(follower("road", 10)) == ("C-2.3", "no_such_feature")
    assert table.refused(follower("monastery", None)) == ("C-2.3", "no_such_feature")
    table.send(follower("road", 4))
    assert table.state.reserves == [6, 7]
    table.send(tile(2, 0))
    assert table.refused(follower("road", 4)) == ("C-2.3", "feature_occupied")
    table.send(SKIP, tile(3, 0))
    assert table.refused(follower("road", 4)) == ("C-2.3", "feature_occupied")


def test_the_turn_passes() -> None:
    """C-2.4: complete features score, followers return, the next seat's turn begins."""
    table = Table("EUU", seats=3)
    table.send(tile(0, -1, 2), follower("city", 6))
    (event,) = table.scored()
    assert [(one.seat, one.x, one.y) for one in event.returned] == [(0, 0, -1)]
    assert table.state.reserves == [7, 7, 7]
    assert RULESET.to_act(table.state) == (1,)
    assert table.refused(tile(1, 0), seat=0) == ("C-2.4", "not_your_turn")
    assert RULESET.legal(table.state, 0) == []


def test_two_commands_a_turn() -> None:
    """C-2.5: a tile, then a follower or none; forced where no follower can be placed."""
    table = Table("XU")
    assert table.refused(SKIP) == ("C-2.5", "wrong_step")
    assert table.refused(follower("road", 1)) == ("C-2.5", "wrong_step")
    table.send(tile(1, 0))
    assert table.refused(tile(1, 0)) == ("C-2.5", "wrong_step")


def test_a_forced_skip() -> None:
    """C-2.5: with an empty reserve the second step happens by itself."""
    table = Table("B" * 16)
    for number in range(14):
        table.send(tile(0, number + 1), follower("monastery", None))
    assert table.state.reserves == [0, 0]
    table.send(tile(0, 15))
    assert FollowerSkipped(0, True) in table.last.events
    assert RULESET.to_act(table.state) == (1,)


def test_roads() -> None:
    """C-3.1: 1 a tile, complete when both ends close."""
    table = Table("WWU")
    table.send(tile(1, 0, 1), follower("road", 10), tile(-1, 0, 3), SKIP)
    (event,) = table.scored()
    assert (event.feature, event.tiles, event.points, event.owners) == ("road", 3, 3, (0,))


@pytest.mark.parametrize("last", [("V", 2), ("W", 3)], ids=("circuit", "crossing"))
def test_roads_that_come_back(last: tuple[str, int]) -> None:
    """C-3.1: a circuit is complete; a tile that a road leaves and comes back to counts once."""
    kind, rotation = last
    table = Table(f"VVV{kind}U")
    table.send(tile(0, 1, 3), follower("road", 4), tile(1, 1), SKIP, tile(1, 2, 1), SKIP)
    assert table.totals() == [3, 0]
    table.send(tile(0, 2, rotation), SKIP)
    (event,) = table.scored()
    assert (event.tiles, event.points, event.owners) == (4, 4, (0,))
    assert table.state.scores == [4, 0]


def test_cities() -> None:
    """C-3.2: 2 a tile and 2 a shield; the option counts a city of two tiles 2."""
    table = Table("FEU")
    table.send(tile(0, -1, 1), follower("city", 0), tile(0, -2, 2), SKIP)
    (event,) = table.scored()
    assert (event.tiles, event.shields, event.points) == (3, 1, 8)
    for points in (4, 2):
        small = Table("EU", two_tile_city=points)
        small.send(tile(0, -1, 2), follower("city", 6))
        assert small.state.scores == [points, 0]


def test_monasteries() -> None:
    """C-3.3: 9 when all 8 cells around are filled, whoever fills the last."""
    table = Table("U" + "B" * 8 + "U")
    table.send(tile(1, 0), SKIP)
    cells = [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]
    for x, y in cells[:1]:
        table.send(tile(x, y), SKIP)
    table.send(tile(1, 1), follower("monastery", None))
    for x, y in [(0, 2), (1, 2), (2, 1), (2, 2)]:
        table.send(tile(x, y), SKIP)
    assert not table.scored()
    table.send(tile(3, 1), SKIP)
    table.send(tile(3, 2), SKIP)
    assert table.totals()[0] == 8
    table.send(tile(2, 0), SKIP)
    (event,) = table.scored()
    assert (event.feature, event.points, event.tiles, event.slot) == ("monastery", 9, 9, None)


def test_a_monastery_in_a_hole() -> None:
    """C-3.3: a monastery may be complete at once, and its monk comes straight back."""
    table = Table("B" * 10)
    for x, y in [(0, 1), (1, 1), (2, 1), (2, 2), (2, 3), (1, 3), (0, 3), (0, 2)]:
        table.send(tile(x, y), SKIP)
    table.send(tile(1, 2), follower("monastery", None))
    assert table.state.scores == [9, 0]
    assert table.state.reserves == [7, 7]


def test_majority() -> None:
    """C-3.4: seats that tie for most followers all take the points."""
    table = Table("UVVVWAU")
    table.send(tile(1, 0), follower("road", 4), tile(1, 1, 3), follower("road", 4))
    table.send(tile(2, 1, 1), SKIP, tile(2, 0), SKIP, tile(-1, 0, 3), SKIP)
    table.send(tile(1, 2, 2), SKIP)
    (event,) = table.scored()
    assert (event.tiles, event.followers, event.owners, event.points) == (7, (1, 1), (0, 1), 7)
    assert table.state.scores == [7, 7]
    assert table.state.reserves == [7, 7]


def test_without_followers() -> None:
    """C-3.4: without followers nobody scores."""
    table = Table("EU")
    table.send(tile(0, -1, 2), SKIP)
    assert table.scored() == []
    assert table.state.scores == [0, 0]


def test_merging() -> None:
    """C-3.5: joined features pool their followers; all features a tile completes score."""
    table = Table("UVVVU")
    table.send(tile(1, 0), follower("road", 4))
    table.send(tile(1, 1, 3), follower("road", 4))
    table.send(tile(2, 1, 1), SKIP, tile(2, 0))
    assert table.refused(follower("road", 7)) == ("C-2.3", "feature_occupied")
    table.send(SKIP)
    assert table.totals() == [5, 5]


def test_fields_wait() -> None:
    """C-3.6: fields do not score during the game; farmers stay."""
    table = Table("EU")
    table.send(tile(0, -1, 2), follower("field", 0))
    assert table.state.scores == [0, 0]
    assert table.state.reserves == [6, 7]


def test_the_end() -> None:
    """C-4.1: after the last tile incomplete features count, and nothing more may be done."""
    table = Table("F")
    table.send(tile(0, -1, 1), follower("city", 0))
    assert PlayEnded("C-4.1") in table.last.events
    assert table.totals() == [3, 0]
    assert table.refused(SKIP) == ("C-4.1", "game_over")
    assert RULESET.legal(table.state, 0) == []


def test_the_end_without_a_fitting_tile() -> None:
    """C-4.1: if no remaining tile fits, the rest are discarded one by one, then play ends."""
    table = Table("ECC")
    table.send(tile(0, -1, 2), SKIP)
    kinds = [event.type for event in table.last.events]
    assert kinds[-3:] == ["tile_discarded", "tile_discarded", "play_ended"]
    assert RULESET.over(table.state)


def test_fields() -> None:
    """C-4.2: 3 for each complete city beside the field, to its owners."""
    table = Table("EU")
    table.send(tile(0, -1, 2), follower("field", 0), tile(1, 0), follower("field", 0))
    lines = [item for line in RULESET.score(table.state).seats for item in line.items]
    assert [(item.name, item.points, item.facts["cities"]) for item in lines] == [
        ("field", 3, 1),
        ("field", 3, 1),
    ]


def test_fields_of_the_first_edition() -> None:
    """C-4.3: a complete city gives 4 once, to most farmers on all its fields together."""
    table = Table("EU", field_scoring="first_edition")
    table.send(tile(0, -1, 2), follower("field", 0), tile(1, 0), follower("field", 0))
    assert table.totals() == [4, 4]
    assert table.totals() == RULESET.totals(table.state)


def test_ranks() -> None:
    """C-4.4: most points win, equal points share."""
    table = Table("EU")
    table.send(tile(0, -1, 2), SKIP, tile(1, 0), follower("field", 5))
    assert [line.rank for line in RULESET.score(table.state).seats] == [1, 1]


def test_scores_say_how() -> None:
    """C-5.1: a score event carries tiles, shields, followers, owners and points."""
    table = Table("EU")
    table.send(tile(0, -1, 2), follower("city", 6))
    (event,) = table.scored()
    assert described.dump(event) == {
        "feature": "city",
        "x": 0,
        "y": 0,
        "slot": 0,
        "tiles": 2,
        "shields": 0,
        "followers": [1, 0],
        "owners": [0],
        "points": 4,
        "returned": [{"seat": 0, "x": 0, "y": -1}],
    }
