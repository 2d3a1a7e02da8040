"""Gabelle as text: what stands on the table can be read from it."""

from __future__ import annotations

import random
from typing import Any

from service.render.gabelle import text as picture
from service.rules.chance import FreeChance
from service.rules.gabelle import RULESET, Options
from service.rules.ruleset import run, start


def shown(after: int = 0, seats: int = 3, **options: Any) -> tuple[Any, str]:
    """Returns the view of a game after so many random commands, and its text."""
    generator = random.Random(4)
    chance = FreeChance(random.Random(3))
    state, _ = start(RULESET, seats, Options(**options), chance)
    for _ in range(after):
        seat = RULESET.to_act(state)[0]
        run(RULESET, state, seat, generator.choice(RULESET.legal(state, seat)), chance)
    view = RULESET.view(state)
    return view, picture(view)


def test_the_beginning() -> None:
    view, text = shown()
    lines = text.splitlines()
    order = ", ".join(map(str, view["order"]))
    assert lines[0] == f"round 1, auction, stage 1; order {order}; to act {view['order'][0]}"
    assert lines[1] == "largest network 0; stage 2 from 7 cities, the end from 12"
    cards = ", ".join(f"{card['workshop']} from {card['workshop']} L" for card in view["open"])
    assert f"workshops on sale: {cards}; {view['deck']['size']} in the deck" in text
    assert "to come" not in text
    assert "material  stock  prices" in text
    assert "wood      24/24  1, 1, 1, 2, 2, 2, 3, 3 …" in text
    assert "0      50 L   –          –      0 cities  0 supplied" in text


def test_every_route_stands_at_both_its_ends() -> None:
    view, text = shown()
    for route in view["routes"]:
        way = "~" if route["kind"] == "river" else "="
        for here, there in ((route["a"], route["b"]), (route["b"], route["a"])):
            line = next(
                line for line in text.splitlines() if line.split()[:1] == [here + fair(view, here)]
            )
            assert f"{way}{route['toll']}{way} {there}" in line


def fair(view: Any, name: str) -> str:
    return "*" if any(city["id"] == name and city["fair"] for city in view["cities"]) else ""


def test_an_auction_and_the_cards_to_come() -> None:
    view, text = shown(after=1, future_row=4)
    auction = view["auction"]
    assert f"workshop {auction['workshop']} is up: guild {auction['leader']} bids" in text
    assert f"to come: {', '.join(map(str, view['future']))}" in text


def test_event_and_posts() -> None:
    for after in range(50, 400, 5):
        view, text = shown(after=after)
        if view["event"] and view["event"]["region"]:
            break
    assert f"event: black_death in {view['event']['region']}" in text
    for city in view["cities"]:
        mark = fair(view, city["id"]) + ("!" if city["quarantined"] else "")
        line = next(line for line in text.splitlines() if line.startswith(city["id"] + mark + " "))
        assert line.split()[1] == city["region"]
        if city["posts"]:
            assert ", ".join(map(str, city["posts"])) in line
