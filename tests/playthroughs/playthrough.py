"""A seeded game as text: what was possible, what was chosen, what came of it.

The text shows a change of behaviour, wanted or not, as a difference that can be read. All that is
random follows from the seed alone, on every machine.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from service.rules import described
from service.rules.chance import SealedChance
from service.rules.described import Command, Event
from service.rules.ruleset import AnyRuleset, Outcome, options_of, run, start

MOST = 2_000


def playthrough(
    ruleset: AnyRuleset,
    seats: int,
    given: Mapping[str, Any],
    seed: str,
    most: int = MOST,
    sampled: int = 0,
    version: int | None = None,
) -> str:
    """Returns the text of a game in which each seat chooses a type of command, then one of them.

    Of a hundred commands, `sampled` are the ruleset's own `sample` instead: for games in which
    little happens where nobody has a plan. Ends with play, or after `most` commands, which is then
    said. `version` is that of the ruleset, the newest if it is None.
    """
    version = ruleset.version if version is None else version
    options = options_of(ruleset, version, given)
    unknown = ruleset.earlier.get(version, {})
    told = {name: value for name, value in described.dump(options).items() if name not in unknown}
    chooser = random.Random(f"choices {seed}")
    sample: Any = getattr(ruleset, "sample", None)
    chance = SealedChance(hashlib.sha256(seed.encode()).digest(), "playthrough")
    lines = [
        f"{ruleset.id} {version}, {seats} seats, seed {seed}",
        f"options {_json(told)}",
        "",
    ]
    state, outcome = start(ruleset, seats, options, chance)
    lines += ["set-up", *_told(ruleset, state, outcome)]
    for number in range(1, most + 1):
        if ruleset.over(state):
            break
        seat = chooser.choice(ruleset.to_act(state))
        listed = ruleset.legal(state, seat)
        if sampled and chooser.randrange(100) < sampled:
            command = sample(state, seat, chooser)
        else:
            command = _chosen(chooser, listed)
        counts = Counter(entry.type for entry in listed)
        possible = ", ".join(f"{name} {count}" for name, count in counts.items())
        lines += ["", f"{number}. seat {seat} may: {possible}"]
        lines.append(f"   chooses {_json(described.dump_command(command))}")
        outcome = run(ruleset, state, seat, command, chance)
        lines += _told(ruleset, state, outcome)
    lines += ["", "over" if ruleset.over(state) else "not over; the text ends here"]
    for seat_score in ruleset.score(state).plain()["seats"]:
        lines.append(
            f"seat {seat_score['seat']}: rank {seat_score['rank']}, total {seat_score['total']},"
            f" tie-breaks {_json(seat_score['tie_breaks'])}"
        )
        lines += [f"   {_json(item)}" for item in seat_score["items"]]
    return "\n".join(lines) + "\n"


def _chosen(chooser: random.Random, listed: list[Command]) -> Command:
    wanted = chooser.choice(sorted({command.type for command in listed}))
    return chooser.choice([command for command in listed if command.type == wanted])


def _told(ruleset: AnyRuleset, state: Any, outcome: Outcome) -> list[str]:
    assert outcome.stopped is None
    totals = [seat.total for seat in ruleset.score(state).seats]
    return [*map(_event, outcome.events), f"   score {_json(totals)}"]


def _event(event: Event) -> str:
    return f"   {event.type} {_json(described.dump(event))}"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
