"""Every command has a text that people can read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.api.texts import command_text
from service.app import create_app
from service.config import Settings
from service.rules import plain
from service.rules.orleans import RULESET
from service.store.memory import MemoryStore
from tests.rules.samples import sample_command

DELIVERIES = [
    {"space": 0, "deed": "boatmen_guild", "reward": "coin"},
    {"space": 1, "deed": "canalization", "reward": "development"},
]

TEXTS: list[tuple[dict[str, Any], str]] = [
    (
        {"type": "take_back", "place": "town_hall", "space": 1},
        "Take the follower on space 1 of the town hall back to the market",
    ),
    ({"type": "draw", "count": 4}, "Draw 4 followers"),
    (
        {
            "type": "place_follower",
            "follower": "boatman",
            "starting": True,
            "place": "village",
            "space": 1,
        },
        "Put a starting boatman on space 1 of the village",
    ),
    (
        {
            "type": "place_follower",
            "follower": "monk",
            "starting": False,
            "place": "village",
            "space": 1,
        },
        "Put a monk on space 1 of the village",
    ),
    ({"type": "use_place", "place": "castle"}, "Use the castle"),
    (
        {"type": "use_place", "place": "village", "recruit": "craftsman"},
        "Use the village: recruit a craftsman",
    ),
    (
        {"type": "use_place", "place": "village", "recruit": "trader", "tile": "tailor_shop"},
        "Use the village: recruit a trader and take the tailor shop",
    ),
    (
        {"type": "use_place", "place": "ship", "link": "orleans-blois-waterway", "good": "wine"},
        "Use the ship: go along orleans-blois-waterway and take wine",
    ),
    (
        {"type": "use_place", "place": "ship", "link": "orleans-blois-waterway"},
        "Use the ship: go along orleans-blois-waterway",
    ),
    (
        {"type": "use_place", "place": "town_hall", "deliveries": DELIVERIES},
        "Use the town hall: send the follower on space 0 to boatmen guild for coin,"
        " the follower on space 1 to canalization for development",
    ),
    ({"type": "use_place", "place": "pharmacy", "coins": 3}, "Use the pharmacy: pay 3 coins"),
    (
        {"type": "give", "item": "trading_station", "from": "reserve"},
        "For a missing coin, give up a trading station from reserve",
    ),
    ({"type": "give", "item": "good", "good": "wool"}, "For a missing coin, give up a good: wool"),
    (
        {"type": "give", "item": "place_tile", "tile": "winery"},
        "For a missing coin, give up a place tile: winery",
    ),
    (
        {"type": "give", "item": "technology", "place": "castle"},
        "For a missing coin, give up a technology on castle",
    ),
    ({"type": "give", "item": "follower"}, "For a missing coin, give up a follower"),
]


@pytest.mark.parametrize(("command", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_a_text(command: dict[str, Any], text: str) -> None:
    with create_app(Settings(), MemoryStore()).test_request_context():
        assert command_text(plain.parse_command(RULESET.commands, command)) == text


def test_no_text_has_holes() -> None:
    generator = random.Random(1)
    with create_app(Settings(), MemoryStore()).test_request_context():
        for _ in range(500):
            text = command_text(sample_command(RULESET, generator))
            assert not set(text) & set("{}[]_–"), text
            assert "None" not in text
            assert "False" not in text
