"""The longest that may be asked of any ruleset: judging as many steps as a request holds, and all

there is to ask about a whole game with the most seats.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from schemas.requests.commands import MAX_STEPS
from service.rules.chance import SealedChance
from service.rules.described import dump_command
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from workers.bots import random_level

from .worst import FREE, Table

SEED = bytes(range(32))

of_each_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets())


def steps_of(ruleset: AnyRuleset, seats: int) -> list[tuple[int, dict[str, Any]]]:
    """The first steps of a random game, as many as a request takes: 1,000, or 64 kB."""
    generator, chance = random.Random(1), SealedChance(SEED, "")
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    steps: list[tuple[int, dict[str, Any]]] = []
    size = 1_000
    while not ruleset.over(state):
        seat = generator.choice(ruleset.to_act(state))
        command = random_level.choose(ruleset, state, seat, generator)
        step = (seat, dump_command(command))
        size += len(json.dumps(step)) + 2
        if len(steps) == MAX_STEPS or size > FREE.body_bytes:
            break
        run(ruleset, state, seat, command, chance)
        steps.append(step)
    return steps


@of_each_ruleset
def test_judging_as_many_steps_as_may_be_sent(ruleset: AnyRuleset) -> None:
    seats = max(ruleset.seats)
    steps = steps_of(ruleset, seats)
    table = Table(ruleset, seats)
    body = {"seats": seats, "steps": steps, "chance": {"seed": SEED.hex()}}
    answer = table.ask("POST", f"/v1/rulesets/{ruleset.id}/positions", body)
    assert answer.status_code == 200, answer.data
    table.check(f"{len(steps)} steps of {ruleset.id}")


@of_each_ruleset
def test_a_whole_game(ruleset: AnyRuleset) -> None:
    table = Table(ruleset, max(ruleset.seats))
    generator = random.Random(1)
    while not ruleset.over(table.state):
        seat = generator.choice(ruleset.to_act(table.state))
        table.send(seat, random_level.choose(ruleset, table.state, seat, generator))
    version = table.repository.load(table.game).game.version
    table.ask("POST", f"{table.path}/forks", {"version": version // 2})
    table.command_handler.append_result(table.repository.load(table.game).game, "worker")
    table.ask_everything()
    for at in (version, version // 2, 2):
        for path in ("", "/moves", "/score", "/board.svg"):
            table.ask("GET", f"{table.path}{path}?version={at}")
    record = table.ask("GET", f"{table.path}/record").json
    assert table.ask("POST", "/v1/records", record).status_code == 202
    table.check(f"{version} versions of {ruleset.id}")
