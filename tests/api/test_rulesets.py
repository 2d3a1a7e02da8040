"""Whole games of every ruleset by requests: what is listed is accepted, all else is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from flask import Flask

from service.bot_levels import LEVELS
from service.rules import described
from service.rules.ruleset import AnyRuleset, rulesets
from tests.api.http_client import Person, anybody
from tests.rules.samples import sample_command

TRIED = 3
"""How many listed and how many made-up commands are tried at each position that is looked at."""

TABLES = [
    pytest.param(
        ruleset,
        seats,
        id=f"{name}-{seats}",
        marks=() if seats == min(ruleset.seats) else pytest.mark.long,
    )
    for name, ruleset in rulesets().items()
    for seats in sorted({min(ruleset.seats), max(ruleset.seats)})
]


def laid(person: Person, ruleset: AnyRuleset, seats: int) -> str:
    """Returns the id of a game in play, all seats held by one person."""
    kinds = [{"kind": "human"}] * seats
    made = person.post("/v1/games", {"ruleset": ruleset.id, "seats": kinds}).json or {}
    for seat in range(seats):
        assert person.claim(made, seat).status_code == 201
    return str(made["game"]["id"])


def chosen(moves: list[dict[str, Any]], generator: random.Random) -> dict[str, Any]:
    """Returns one of the moves: what to do first, then which."""
    kind = generator.choice(sorted({move["command"]["type"] for move in moves}))
    return generator.choice([move for move in moves if move["command"]["type"] == kind])


@pytest.mark.broad
@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_a_whole_game(app: Flask, ruleset: AnyRuleset, seats: int) -> None:
    """Listed commands are accepted as they stand; others name a rule of the rule book."""
    person = anybody(app)
    game = laid(person, ruleset, seats)
    generator = random.Random(seats)
    books = {rule.id for rule in ruleset.rules}
    path = f"/v1/games/{game}"
    for turn in range(100_000):
        found = person.moves(game)["moves"]
        if not found:
            break
        if turn % 20 == 0:
            for move in generator.sample(found, min(TRIED, len(found))):
                body = {"seat": move["seat"], "command": move["command"]}
                tried = person.post(f"{path}/commands?dry_run=true", body)
                assert tried.status_code == 200, move
                assert "{" not in move["text"]
            seat = found[0]["seat"]
            own = [move["command"] for move in found if move["seat"] == seat]
            listed = {json.dumps(command, sort_keys=True) for command in own}
            for _ in range(TRIED):
                command = described.dump_command(sample_command(ruleset, generator))
                if json.dumps(command, sort_keys=True) not in listed:
                    refused = person.send(game, command, seat)
                    assert refused.status_code == 409, command
                    assert (refused.json or {})["rule"] in books
        move = chosen(found, generator)
        assert person.send(game, move["command"], move["seat"]).status_code == 201
    assert person.moves(game)["reason"] == "game_over"
    score = person.get(f"{path}/score").json or {}
    assert score["final"]
    assert len(score["seats"]) == seats
    assert person.get(path).status_code == 200


@pytest.mark.broad
@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_folded_moves_mean_the_same(app: Flask, ruleset: AnyRuleset, seats: int) -> None:
    person = anybody(app)
    game = laid(person, ruleset, seats)
    generator = random.Random(seats)
    for _ in range(40):
        seen = person.get(f"/v1/games/{game}/moves?ranges=true").json or {}
        unfolded = [
            json.dumps([folded["seat"], command], sort_keys=True)
            for folded in seen["ranges"]
            for command in _unfolded(folded["command"])
        ]
        told = [json.dumps([m["seat"], m["command"]], sort_keys=True) for m in seen["moves"]]
        assert sorted(unfolded) == sorted(told)
        assert all("{" not in folded["text"] for folded in seen["ranges"])
        move = chosen(seen["moves"], generator)
        person.send(game, move["command"], move["seat"])


def _unfolded(command: dict[str, Any]) -> list[dict[str, Any]]:
    for name, value in command.items():
        if isinstance(value, dict) and set(value) == {"min", "max"}:
            return [{**command, name: number} for number in range(value["min"], value["max"] + 1)]
    return [command]


@pytest.mark.parametrize("ruleset", rulesets())
def test_levels_are_told_with_their_bounds(app: Flask, ruleset: str) -> None:
    told = (anybody(app).get(f"/v1/rulesets/{ruleset}").json or {})["levels"]
    assert [level["name"] for level in told] == list(LEVELS)
    for level in told:
        bounded = level["method"] == "search"
        assert (level["simulations"] is not None) == bounded
        assert (level["seconds"] is not None) == bounded
