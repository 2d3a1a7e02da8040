"""Positions to draw, and what is asked of every picture."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

from service import render
from service.render.drawing import SMALLEST, WIDTH
from service.render.look import Look
from service.rules import described
from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, run, start

SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 220_000
"""Bytes that no picture exceeds."""
Positions = Iterator[tuple[Any, list[dict[str, Any]]]]


def positions(ruleset: AnyRuleset, seats: int, seed: int, every: int = 1) -> Positions:
    """Yields views and moves (as they are listed) of a random game, the first and last included."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(seed + 1))
    state = ruleset.initial(seats, ruleset.options())
    yield ruleset.view(state), []
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    sample = getattr(ruleset, "sample", None)  # some rulesets have a quicker way than listing
    number = 0
    while acting := ruleset.to_act(state):
        if number % every == 0:
            yield (
                ruleset.view(state),
                [
                    {"seat": seat, "command": described.dump_command(command)}
                    for seat in acting
                    for command in ruleset.legal(state, seat)
                ],
            )
        seat = acting[0]
        if sample is None:
            command = generator.choice(ruleset.legal(state, seat))
        else:
            command = sample(state, seat, generator)
        run(ruleset, state, seat, command, chance)
        number += 1
    yield ruleset.view(state), []


def drawn(name: str, view: Any, names: Any = (), moves: Any = (), last: Any = None) -> ET.Element:
    """Draws a view, checks what holds for every picture, and returns it parsed."""
    return checked(render.svg(name, view, Look(names, moves, last)))


def checked(text: str) -> ET.Element:
    assert len(text.encode()) < LARGEST
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top, width) == (0, 0, WIDTH)
    assert 0 < height < 8_000
    assert "width" not in root.attrib
    assert root.attrib["role"] == "img"
    assert root.attrib["lang"]
    labels = root.attrib["aria-labelledby"].split()
    assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
    assert [root[0].attrib["id"], root[1].attrib["id"]] == labels
    assert root[0].text
    assert root[1].text
    assert "prefers-color-scheme:dark" in (root.find(f"{SVG}style").text or "")  # type: ignore[union-attr]
    ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert len(set(ids)) == len(ids)
    for each in root.iter():
        assert each.tag.removeprefix(SVG) not in ("script", "image", "a", "foreignObject")
        for key, value in each.attrib.items():
            assert not key.startswith("on")
            assert key != "style"
            assert "nan" not in value.split()
            assert "None" not in value.split()
            for inner in re.findall(r"#([\w-]+)", value if "url(" in value else ""):
                assert inner in ids
        if each.tag == f"{SVG}use":
            assert each.attrib["href"].removeprefix("#") in ids
        if each.attrib.get("role") == "group":
            assert each.attrib["aria-label"]
        size = float(each.attrib.get("font-size", SMALLEST))
        assert size >= SMALLEST
    return root


def those(root: ET.Element, cls: str, **data: Any) -> list[ET.Element]:
    """Returns the elements of a class whose `data-…` are these, in order."""
    wanted = {f"data-{key.replace('_', '-')}": str(value) for key, value in data.items()}
    return [
        each
        for each in root.iter()
        if cls in each.attrib.get("class", "").split() and wanted.items() <= each.attrib.items()
    ]


def words(root: ET.Element) -> list[str]:
    """Returns all that is written in a picture."""
    return [each.text or "" for each in root.iter(f"{SVG}text")]
