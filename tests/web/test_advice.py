"""Advice at the page: asked for, told as a list, marked in the picture, played."""

from __future__ import annotations

import json

import pytest

from service.rules.ruleset import AnyRuleset, rulesets

from .driving import ROOT, TABLE, Visitor

RULESETS = pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
FIRST = next(iter(rulesets().values()))
PANEL = "document.querySelector('#advice')"
DONE = f"{PANEL}.dataset.state === 'done'"
RANKED = "[...document.querySelectorAll('#advice .move')]"


@RULESETS
def test_what_is_advised_is_played(visitor: Visitor, ruleset: AnyRuleset) -> None:
    """Each command of the list is one of the moves; its place, if it has one, has its number."""
    game = visitor.create(ruleset)
    assert visitor.due()
    page = visitor.page
    assert page.run(f"!{PANEL}.hidden && {PANEL}.dataset.state === 'none'")
    page.run("document.querySelector('#ask-advice').focus()")
    page.press("Enter", 13)
    page.until(DONE, 30)
    assert page.run("document.activeElement.id") == "ask-advice"
    commands = [
        json.loads(each) for each in page.run(f"{RANKED}.map((row) => row.dataset.command)")
    ]
    assert 1 <= len(commands) <= 3
    with visitor.asks() as client:
        moves = client.get(f"/v1/games/{game}/moves").json()["moves"]
    texts = {json.dumps(move["command"]): move["text"] for move in moves}
    told = page.run(f"{RANKED}.map((row) => row.textContent)")
    assert told == [texts[json.dumps(command)] for command in commands]
    assert "%" in visitor.says("#advice li small")
    assert told[0] in visitor.says("#announced")
    targets = page.run(f"{ROOT}.querySelectorAll('.target').length")
    numbers = page.run(f"[...{ROOT}.querySelectorAll('.advice-rank')].map((g) => g.textContent)")
    assert bool(numbers) <= bool(targets)
    assert set(numbers) <= {"1", "2", "3"}  # some moves, such as a pass, have no place
    before = int(visitor.state()["version"])
    page.run(f"{RANKED}[0].focus()")
    lit = page.run(f"{ROOT}.querySelectorAll('.aimed').length")
    assert bool(lit) == ("1" in numbers)
    page.press("Enter", 13)
    page.until(f"{TABLE}.dataset.version > {before}")
    page.until(f"{PANEL}.dataset.state === 'none'")
    assert page.run(f"{ROOT}.querySelectorAll('.advice-rank').length") == 0
    assert visitor.says("#problem") == ""
    with visitor.asks() as client:
        events = client.get(f"/v1/games/{game}/events?after={before}").json()["events"]
    assert events


def test_places_in_the_picture_are_numbered(visitor: Visitor) -> None:
    """In the first ruleset each first move has a place."""
    visitor.create(FIRST)
    assert visitor.due()
    page = visitor.page
    page.click("document.querySelector('#ask-advice')")
    page.until(DONE, 30)
    numbers = page.run(f"[...{ROOT}.querySelectorAll('.advice-rank')].map((g) => g.textContent)")
    assert "1" in numbers
    assert page.run(f"{ROOT}.querySelectorAll('.advised').length") == len(numbers)


def test_the_level_chosen_is_kept(visitor: Visitor) -> None:
    visitor.create(FIRST)
    assert visitor.due()
    page = visitor.page
    level = "document.querySelector('#advice select')"
    names = page.run(f"[...{level}.options].map((option) => option.value)")
    page.run(f"{level}.value = '{names[-1]}'")
    page.click("document.querySelector('#ask-advice')")
    page.until(DONE, 30)
    page.reload()
    assert visitor.due()
    assert page.run(f"{level}.value") == names[-1]


def test_a_game_created_without_advice_offers_none(visitor: Visitor, friend: Visitor) -> None:
    page = visitor.page
    visitor.open()
    page.until("document.querySelector('#allow-advice')")
    page.run("document.querySelector('#allow-advice').checked = false")
    page.click("document.querySelector('#create')")
    page.until(f"{TABLE}?.dataset.version")
    assert visitor.due()
    assert page.run(f"{PANEL}.hidden")
    game = page.run("location.hash.slice(4)")
    with visitor.asks() as client:
        assert client.get(f"/v1/games/{game}").json()["advice"] is False
    other = visitor.create(FIRST)
    friend.open(f"#/g/{other}")
    friend.page.until(f"{TABLE}?.dataset.version")
    assert friend.page.run(f"{PANEL}.hidden")
