"""The page's dictionaries: every key in every language, and every word that is asked for."""

from __future__ import annotations

import inspect
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from service.api.resources.web_app import FOLDER
from service.games.legal_moves import LegalMoves
from service.games.table import events as table_events
from service.games.table.commands import COMMANDS, LEVELS
from service.games.table.state import STATUSES
from service.rules import described, kinds
from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start

RULESETS = pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
LANGUAGES = {"en", "pt", "fr"}
HOLE = re.compile(r"\{@?(\w+)(?:\|[^|}]+\|[^|}]+)?\}")
"""A placeholder; a number may be followed by the singular and the plural of what it counts."""
MARKED = re.compile(r"\{(@?)(\w+)\}")
COUNTED = re.compile(r"\{\w+\|")
ASKED = re.compile(r"\bt\(\"([a-z_.]+)\"")
REASON = re.compile(r"\"(\w+)\"")
Words = dict[str, Any]


def dictionary(name: str) -> Words:
    loaded: Words = json.loads((FOLDER / f"{name}.json").read_text())
    return loaded


def texts(words: Words) -> list[tuple[str, Words]]:
    """All texts by language, flat."""
    found = []
    for key, value in words.items():
        if set(value) & LANGUAGES:
            found.append((key, value))
        else:
            found += texts(value)
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_no_language_lacks_a_word(path: Path) -> None:
    for key, text in texts(json.loads(path.read_text())):
        assert set(text) == LANGUAGES, key
        assert all(text.values()), key
        holes = {language: sorted(HOLE.findall(words)) for language, words in text.items()}
        assert holes["en"] == holes["pt"] == holes["fr"], key
        brackets = {words.count("[") for words in text.values()}
        assert len(brackets) == 1, key
        counted = {len(COUNTED.findall(words)) for words in text.values()}
        assert len(counted) == 1, key
        assert not any(re.search(r"[{}]", HOLE.sub("", words)) for words in text.values()), key


def test_the_page_asks_for_words_that_there_are() -> None:
    words = dictionary("words")
    source = "\n".join(path.read_text() for path in FOLDER.glob("*.js"))
    asked = set(ASKED.findall(source))
    assert asked <= set(words)
    built = {f"status.{status}" for status in STATUSES} | {f"level.{level}" for level in LEVELS}
    built |= {f"headline.{status}" for status in STATUSES if status != "playing"}
    reasons = REASON.findall(inspect.getdoc(LegalMoves) or "")
    assert len(reasons) > 3
    built |= {f"reason.{reason}" for reason in (*reasons, "none", "past")}
    built |= {"kind.bot", "kind.human", "kind.open"}
    assert built <= set(words)
    assert set(words) == asked | built


def test_the_tables_events_and_commands_have_words() -> None:
    words = dictionary("table")
    check_events(words["events"], table_events.EVENTS)
    assert set(words["commands"]) == set(COMMANDS)


@RULESETS
def test_a_rulesets_events_commands_and_options_have_words(ruleset: AnyRuleset) -> None:
    words = dictionary(ruleset.id)
    check_events(words["events"], ruleset.events)
    assert set(words["commands"]) == set(ruleset.commands)
    assert set(words["options"]) == {field.name for field in described.fields(ruleset.options)}


@RULESETS
def test_all_that_is_scored_has_words(ruleset: AnyRuleset) -> None:
    words = dictionary(ruleset.id)
    names, facts = scored(ruleset)
    assert names <= set(words["items"])
    assert facts <= set(words["facts"])


def scored(ruleset: AnyRuleset) -> tuple[set[str], set[str]]:
    """The names of what is scored in random games, and those of its numbers."""
    names, facts = set(), set()
    for seed in range(2):
        draws = random.Random(seed)
        state, _ = start(ruleset, min(ruleset.seats), ruleset.options(), FreeChance(draws))
        while acting := ruleset.to_act(state):
            command = draws.choice(ruleset.legal(state, acting[0]))
            run(ruleset, state, acting[0], command, FreeChance(draws))
        for seat in ruleset.score(state).plain()["seats"]:
            for item in seat["items"]:
                names.add(item.pop("name"))
                item.pop("points")
                facts |= {key for key, value in item.items() if isinstance(value, int)}
    return names, facts


@RULESETS
def test_what_a_sentence_names_has_a_name(ruleset: AnyRuleset) -> None:
    """Ids are things of the game or have words; what holds parts of its own is never named."""
    words = dictionary(ruleset.id)
    named = {component.id for component in ruleset.components} | set(words["values"])
    for name, event in ruleset.events.items():
        types = {field.name: field.kind for field in described.fields(event)}
        for mark, hole in MARKED.findall(words["events"][name]["en"]):
            kind = types[hole]
            while isinstance(kind, (kinds.Maybe, kinds.Many)):
                kind = kind.inner
            if isinstance(kind, kinds.OneOf):
                ids = {value for value in kind.values if isinstance(value, str)}
                assert ids <= named, (name, hole)
            if isinstance(kind, described.Structure):
                held = {field.name for field in described.fields(kind.cls)}
                assert mark, (name, hole)
                assert "seat" in held, (name, hole)


def check_events(words: Words, events: Any) -> None:
    """Each event has a sentence, and a sentence names only what the event holds."""
    assert set(words) == set(events)
    for name, event in events.items():
        fields = {field.name for field in described.fields(event)} - set(
            getattr(event, "sealed", ())
        )
        assert set(HOLE.findall(words[name]["en"])) <= fields, name
