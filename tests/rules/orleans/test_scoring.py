"""The end of play and the score (O-8)."""

from __future__ import annotations

import pytest

from service.rules.orleans import RULESET
from service.rules.orleans.state import END
from service.rules.orleans.tables import GOOD, TOWNS
from service.rules.ruleset import PlayEnded, advance

from .table import Table


def ended(*stations: int, **options: bool) -> Table:
    """Returns a table after round 18 whose seats have built these numbers of stations."""
    table = Table(len(stations), **options)
    towns = iter(TOWNS[1:])
    for seat, count in enumerate(stations):
        table.stations(*[next(towns) for _ in range(count)], seat=seat)
    table.state.round, table.state.step = 18, END
    table.last = advance(RULESET, table.state, table.chance)
    return table


@pytest.mark.parametrize(
    ("stations", "leader"),
    [((2, 1), 0), ((1, 2), 1), ((2, 2), None), ((0, 0), None), ((1, 3, 3), None), ((1, 3, 2), 1)],
)
def test_most_stations_take_the_last_citizen(stations: tuple[int, ...], leader: int | None) -> None:
    """O-8.1: the sole leader in stations built; in a tie nobody."""
    table = ended(*stations)
    citizens = [table.seat(seat).citizens for seat in range(len(stations))]
    assert citizens == [int(seat == leader) for seat in range(len(stations))]
    assert table.events()[-1] == PlayEnded("O-8.1")
    assert RULESET.over(table.state)


def test_the_last_citizen_may_stay_away() -> None:
    """O-8.1: with `last_citizen: false`."""
    table = ended(2, 1, last_citizen=False)
    assert table.types() == ["play_ended"]


def test_provisional_scores_leave_it_out() -> None:
    """O-8.1: and so does the score of a game that the table ends early."""
    table = Table()
    table.stations("tours")
    assert RULESET.totals(table.state) == [6, 5]
    scoring = RULESET.score(table.state)
    assert not scoring.final
    RULESET.evolve(table.state, PlayEnded("T-3", 1))
    assert RULESET.score(table.state).final
    assert RULESET.totals(table.state) == [6, 5]


def test_nothing_may_be_done_afterwards() -> None:
    """O-8.1: play is over."""
    table = ended(1, 0)
    assert table.to_act() == ()
    assert RULESET.legal(table.state, 0) == []
    assert table.refused(0, "end_planning") == ("O-8.1", "game_over")
    assert RULESET.proceed(table.state, table.chance) == []


def test_the_example() -> None:
    """O-8.2: 5 stations, 2 citizens, status 4 make 28."""
    table = Table()
    table.stations("tours", "blois", "chinon", "loches", "nevers")
    table.seat().citizens = 2
    table.seat().development = 15
    table.seat().coins = 0
    (item,) = [i for i in RULESET.score(table.state).seats[0].items if "stations" in i.name]
    assert (item.points, item.facts) == (28, {"stations": 5, "citizens": 2, "status": 4})
    assert RULESET.totals(table.state)[0] == 28


def test_goods_and_coins() -> None:
    """O-8.2: grain 1, cheese 2, wine 3, wool 4, brocade 5; each coin 1."""
    table = Table()
    table.goods(0, grain=2, cheese=2, wine=2, wool=2, brocade=2)
    items = {item.name: item.points for item in RULESET.score(table.state).seats[0].items}
    assert items == {
        "coins": 5, "grain": 2, "cheese": 4, "wine": 6, "wool": 8, "brocade": 10,
        "stations_and_citizens": 0,
    }  # fmt: skip
    assert RULESET.score(table.state).seats[0].total == 35
    assert set(GOOD) < set(items)


def test_a_status_lost_does_not_count() -> None:
    """O-8.2: that of the marker's place at the end."""
    table = Table()
    table.stations("tours")
    table.seat().development = 4
    assert RULESET.totals(table.state)[0] == 7
    table.seat().development = 3
    assert RULESET.totals(table.state)[0] == 6


def test_ties_are_broken_by_development() -> None:
    """O-8.3: further on the track wins."""
    table = Table(3)
    table.seat(0).development = 2
    table.seat(1).development = 3
    table.seat(2).coins = 4
    seats = RULESET.score(table.state).seats
    assert [seat.total for seat in seats] == [5, 5, 4]
    assert [seat.rank for seat in seats] == [2, 1, 3]
    assert [seat.tie_breaks for seat in seats] == [(2,), (3,), (0,)]


def test_a_shared_victory_lists_no_loser() -> None:
    """O-8.3: fault: ties listing a loser as winner."""
    table = Table(4)
    table.seat(1).coins = 9
    table.seat(3).coins = 9
    assert [seat.rank for seat in RULESET.score(table.state).seats] == [3, 1, 3, 1]
