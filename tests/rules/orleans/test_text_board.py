"""The board as text shows what stands where."""

from __future__ import annotations

from service import render
from service.rules.orleans import RULESET

from .table import Table


def shown(table: Table) -> list[str]:
    return render.text(RULESET.id, RULESET.view(table.state)).splitlines()


def test_a_game_at_its_start() -> None:
    lines = shown(Table())
    assert lines[0] == "Round 1 of 18: Pilgrimage; planning; start player: seat 0"
    assert lines[2].startswith("Orléans              @0 @1      ─ Vierzon (")
    assert len([line for line in lines if line.startswith("seat ")]) == 2
    assert (
        "  market: 1 farmer°, 1 boatman°, 1 craftsman°, 1 trader°; bag: none; technology 0" in lines
    )
    assert lines[-1] == "  places: none"
    assert "Astronomy: free: 1 trader, 2 scholar" in lines


def test_before_the_set_up_there_is_no_event() -> None:
    state = RULESET.initial(3, RULESET.options())
    first = render.text(RULESET.id, RULESET.view(state)).splitlines()[0]
    assert first == "Round 0 of 18; setup; start player: seat 0"


def test_what_stands_where() -> None:
    table = Table()
    table.stations("blois")
    table.seat().merchant = 0
    table.tile("herb_garden", "winery")
    table.man("winery", "farmer", "monk")
    table.technology("castle", 0)
    table.goods(wine=2)
    table.state.laid = [-1] * len(table.state.laid)
    table.state.slots[3] = [0] * 7
    table.state.citizens[8] = 1
    lines = shown(table)
    assert "Blois                ■0         ─ Vierzon  ≈ Tours" in lines
    assert "Astronomy: citizen of seat 1" in lines
    assert "  places: Castle [⚙ · ·], Winery [farmer monk], Herb Garden" in lines
    assert any(
        line.startswith("seat 0: coins 5, status 1 (development 0), stations 1") for line in lines
    )
    assert any(line.endswith("goods: 2 wine") for line in lines)
