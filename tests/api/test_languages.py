"""English, Portuguese and French: what is asked for is answered, and nothing else changes."""

from __future__ import annotations

import ast
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from flask import Flask

from service.api.http import (
    conditional_requests,
    descriptions,
    languages,
    problems,
    translations,
)
from service.api.http.problems import PROBLEM_TYPES, Problem
from service.games.table import rule_book as table_rule_book
from service.games.table.commands import COMMANDS
from service.rules import described
from service.rules.chance import SealedChance
from service.rules.described import Command, Component
from service.rules.kinds import Counts, Flag, Many, Maybe, OneOf, Whole
from service.rules.plain import Detail
from service.rules.ruleset import RuleViolation, rulesets, run, start
from tests.api.http_client import RULESET, Person, code
from tests.rules.toy import PEBBLES

from .test_catalogs import BUILDER

SERVICE = Path(__file__).resolve().parents[2] / "service"
RULE = re.compile(r"[A-Z]-\d+(\.\d+)?")
OTHERS = ("pt", "fr")
MAX_STEPS = 1200


def speaking(app: Flask, language: str) -> Any:
    """A request in a language."""
    return app.test_request_context(headers={"Accept-Language": language})


def plainly(value: Any) -> dict[str, Any]:
    return {"type": type(value).type, **described.dump(value)}


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (None, "en"),
        ("pt", "pt"),
        ("pt-BR", "pt"),
        ("FR-ca, en;q=0.5", "fr"),
        ("en;q=0.5, fr", "fr"),
        ("de, pt;q=0.3", "pt"),
        ("de", "en"),
        ("fr;q=0, pt;q=0.1", "pt"),
        ("*", "en"),
        ("nonsense;;q=", "en"),
    ],
)
def test_the_language_is_chosen(ana: Person, wanted: str | None, chosen: str) -> None:
    headers = {} if wanted is None else {"Accept_Language": wanted}
    answer = ana.get(f"/v1/rulesets/{RULESET.id}", **headers)
    assert answer.headers["Content-Language"] == chosen
    assert "Accept-Language" in answer.headers["Vary"]


@pytest.mark.parametrize(
    ("switch", "chosen"), [("fr", "fr"), ("pt-PT", "pt"), ("en", "en"), ("de", "pt"), ("", "pt")]
)
def test_the_switch_comes_first(ana: Person, switch: str, chosen: str) -> None:
    answer = ana.get(f"/v1/rulesets/{RULESET.id}?lang={switch}", Accept_Language="pt")
    assert answer.headers["Content-Language"] == chosen


def test_moves_differ_in_their_texts_only(ana: Person, game: str) -> None:
    told = {}
    for language in languages.LANGUAGES:
        answer = ana.get(f"/v1/games/{game}/moves?ranges=true", Accept_Language=language)
        assert answer.headers["Content-Language"] == language
        assert {"Accept-Language", "Authorization"} <= set(answer.headers["Vary"].split(", "))
        told[language] = answer.json or {}
    for language in OTHERS:
        for part in ("moves", "table", "ranges"):
            listed, english = told[language][part], told["en"][part]
            assert [each["command"] for each in listed] == [each["command"] for each in english]
            assert all(
                each["text"] != other["text"] for each, other in zip(listed, english, strict=True)
            )


def test_tags_of_texts_differ_by_language(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}/moves"
    tags = {
        language: ana.get(f"{path}?lang={language}").headers["ETag"]
        for language in languages.LANGUAGES
    }
    assert tags["en"] == ana.get(f"/v1/games/{game}").headers["ETag"]
    assert len(set(tags.values())) == len(languages.LANGUAGES)
    move = ana.moves(game)["moves"][0]
    move_body = {"seat": move["seat"], "command": move["command"]}
    for tag in (tags["pt"], tags["fr"]):
        answer = ana.post(f"/v1/games/{game}/commands?dry_run=true", move_body, If_Match=tag)
        assert answer.status_code == 200
    assert ana.move(game).status_code == 201
    version = int(tags["fr"].strip('"').partition("-")[0])
    stale = ana.send(game, move["command"], move["seat"], If_Match=tags["fr"])
    assert code(stale) == "stale"
    assert f"after={version}>" in stale.headers["Link"]


def test_views_and_events_have_no_language(ana: Person, game: str) -> None:
    for path in (f"/v1/games/{game}", f"/v1/games/{game}/events"):
        answer = ana.get(path, Accept_Language="fr")
        assert "Content-Language" not in answer.headers
        assert "Accept-Language" not in answer.headers.get("Vary", "")
        assert answer.data == ana.get(path).data


def test_a_position_is_told(ana: Person) -> None:
    asked = {"seats": min(RULESET.seats), "chance": {"seed": "0" * 64}}
    path = f"/v1/rulesets/{RULESET.id}/positions"
    english, french = (ana.post(f"{path}?lang={each}", asked) for each in ("en", "fr"))
    assert french.headers["Content-Language"] == "fr"
    both = zip((english.json or {})["moves"], (french.json or {})["moves"], strict=True)
    assert all(one["command"] == other["command"] for one, other in both)
    assert english.data != french.data


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", rulesets())
def test_a_description_is_told(ana: Person, name: str, language: str) -> None:
    path = f"/v1/rulesets/{name}"
    english, other = ana.get(path), ana.get(path, Accept_Language=language)
    assert english.headers["ETag"] != other.headers["ETag"]
    _differing(english.json, other.json)
    unchanged = ana.get(path, Accept_Language=language, If_None_Match=other.headers["ETag"])
    assert unchanged.status_code == 304
    assert "Accept-Language" in unchanged.headers["Vary"]


def _differing(one: Any, other: Any) -> None:
    """Asserts that two answers differ in all their texts and in nothing else."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key, value in one.items():
            if key in ("text", "description") and isinstance(value, str):
                assert value != other[key]
            else:
                _differing(value, other[key])
    elif isinstance(one, list):
        for each, same in zip(one, other, strict=True):
            _differing(each, same)
    else:
        assert one == other


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("name", PROBLEM_TYPES)
def test_every_problem_is_told(app: Flask, name: str, language: str) -> None:
    with speaking(app, language):
        answer = problems.problem_response(Problem(name))
        body = answer.get_json()
    assert answer.headers["Content-Language"] == language
    assert answer.vary.as_set() == {"accept-language"}
    assert body["code"] == name
    assert (body["title"] == PROBLEM_TYPES[name].title) == (language == "en")
    assert (body["detail"] == PROBLEM_TYPES[name].text) == (language == "en")


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_every_text_can_be_filled(app: Flask, language: str) -> None:
    """Refusals and faults: all that the source says with facts."""
    said = 0
    with speaking(app, language):
        for found in BUILDER.required_texts().values():
            for text, uses in found.items():
                if not any(use.endswith(".py") for use in uses):
                    continue
                names = {name for _, name, _, _ in string.Formatter().parse(text) if name}
                facts = dict.fromkeys(names, 7)
                refusal = RuleViolation("code", "T-1", text, **facts)
                for told in (
                    descriptions.refusal_text(refusal, None),
                    translations.translate_detail(Detail(text, **facts)),
                ):
                    assert not set("{}") & set(told)
                    assert told.count("7") >= len(names)
                said += 1
    assert said > 150


def test_faults_are_told(ana: Person) -> None:
    body = {"ruleset": RULESET.id, "seats": [{"kind": "human"}, {"kind": 3}], "nothing": 1}
    english = ana.post("/v1/games", body).json or {}
    french = ana.post("/v1/games?lang=fr", body).json or {}
    assert [each["pointer"] for each in french["errors"]] == [
        each["pointer"] for each in english["errors"]
    ]
    for one, other in zip(english["errors"], french["errors"], strict=True):
        assert one["detail"] != other["detail"]
    first = french["errors"][0]
    assert french["detail"] == f"{first['pointer']} : {first['detail']}"
    assert (
        english["detail"] == f"{english['errors'][0]['pointer']}: {english['errors'][0]['detail']}"
    )


def test_faults_within_faults_are_told(app: Flask) -> None:
    detail = Detail("{one} or {other}", one=Detail("must be text"), other=Detail("is missing"))
    assert detail == "must be text or is missing"
    with speaking(app, "pt"):
        assert translations.translate_detail(detail) == "deve ser texto ou falta"
        assert translations.translate_detail("must be text") == "deve ser texto"


def test_refusals_over_http_are_told(ana: Person, game: str) -> None:
    told = {
        language: ana.send(game, {"type": "start"}, Accept_Language=language)
        for language in languages.LANGUAGES
    }
    assert {answer.status_code for answer in told.values()} == {409}
    assert len({(answer.json or {})["title"] for answer in told.values()}) == len(told)
    assert len({(answer.json or {})["detail"] for answer in told.values()}) == len(told)
    assert len({(answer.json or {})["rule"] for answer in told.values()}) == 1


@pytest.mark.parametrize("name", rulesets())
def test_refusals_name_things(app: Flask, name: str) -> None:
    ruleset = rulesets()[name]
    thing = ruleset.components[0]
    refusal = RuleViolation(
        "code", "T-1", "{thing}, {word}, {count}", thing=thing.id, word="xyz", count=3
    )
    for language in languages.LANGUAGES:
        with speaking(app, language):
            told = descriptions.refusal_text(refusal, ruleset)
        assert told == f"{thing.names[language]}, xyz, 3"


@pytest.mark.parametrize("name", rulesets())
def test_a_whole_game_is_told(app: Flask, name: str) -> None:
    """Every legal command of a random game, in each language, without a word of English."""
    ruleset, dice = rulesets()[name], random.Random(7)
    chance = SealedChance(bytes(32), "whole")
    state, _ = start(ruleset, min(ruleset.seats), ruleset.options(), chance)
    contexts = {language: speaking(app, language) for language in languages.LANGUAGES}
    told: set[str] = set()
    for _ in range(MAX_STEPS):
        if ruleset.over(state):
            break
        seat = dice.choice(ruleset.to_act(state))
        legal = ruleset.legal(state, seat)
        shown = dice.sample(legal, min(len(legal), 25))
        heard = {}
        for language, context in contexts.items():
            with context:
                heard[language] = [
                    descriptions.describe_value(type(each), plainly(each), ruleset)
                    for each in shown
                ]
        for command, english, *others in zip(shown, *heard.values(), strict=True):
            for text in (english, *others):
                assert not set("{}[]_") & set(text), text
            assert all(text != english for text in others), english
            told.add(command.type)
        run(ruleset, state, seat, dice.choice(legal), chance)
    assert ruleset.over(state)
    assert len(told) > 2


def test_table_commands_are_told(app: Flask) -> None:
    for command in COMMANDS.values():
        value = {"level": "easy"}
        heard = set()
        for language in languages.LANGUAGES:
            with speaking(app, language):
                heard.add(descriptions.describe_value(command, value, RULESET))
        assert len(heard) == len(languages.LANGUAGES)
        assert not any("{" in text for text in heard)


@dataclass(frozen=True, slots=True)
class Heap(Command):
    """Heaps things up."""

    type: ClassVar[str] = "heap"
    rule: ClassVar[str] = "P-9"
    text: ClassVar[str] = "Heap {heap} of {kinds}, {number}, {card}, {bare}[, {plainly}][, {least}]"
    heap: Annotated[Any, Counts(("red", "blue"), 0, 9), "counts"]
    kinds: Annotated[Any, Many(OneOf(("red", "blue", "green")), 3), "ids"]
    number: Annotated[Any, Maybe(Whole(0, 9)), "a number"]
    card: Annotated[Any, OneOf((1, 2)), "a card"]
    bare: Annotated[Any, Maybe(OneOf(("some_thing",))), "no component"]
    plainly: Annotated[Any, Flag(), "a flag"]
    least: Annotated[Any, Maybe(Whole(0, 9)), "another number"]


@dataclass(frozen=True, slots=True)
class Placed(Command):
    """A flag that is told outside of brackets."""

    type: ClassVar[str] = "placed"
    rule: ClassVar[str] = "P-9"
    text: ClassVar[str] = "Up: {up}"
    up: Annotated[Any, Flag(), "a flag"]


def test_values_are_told_by_their_kinds(app: Flask) -> None:
    """Names of components, the kind's that fits best; numbers; ranges; what is not there."""
    names = {"en": "Red", "pt": "Vermelho"}

    class Ruleset:
        commands: ClassVar[dict[str, Any]] = {}
        components = (
            Component("flag", "red", {"en": "red flag"}, {}),
            Component("pebble", "red", names, {}),
            Component("pebble", "blue", {"en": "Blue"}, {}),
            Component("card", "1", {"en": "Ace", "pt": "Ás"}, {}),
        )

    ruleset: Any = Ruleset()
    value = {
        "heap": {"red": 2, "blue": 1},
        "kinds": ["red", "green"],
        "number": {"min": 1, "max": 4},
        "card": 1,
        "bare": "some_thing",
        "plainly": True,
        "least": 0,
    }
    less = {
        **value,
        "heap": {},
        "kinds": [],
        "card": 2,
        "bare": None,
        "plainly": False,
        "least": None,
    }
    with speaking(app, "en"):
        told = "Heap 2 × Red, 1 × Blue of Red, green, 1 … 4, 1 (Ace), some thing, plainly, 0"
        assert descriptions.describe_value(Heap, value, ruleset) == told
        assert descriptions.describe_value(Heap, less, ruleset) == "Heap – of –, 1 … 4, 2, –"
    with speaking(app, "pt"):
        told = (
            "Heap 2 × Vermelho, 1 × Blue of Vermelho, green, 1 … 4, 1 (Ás), some thing, plainly, 0"
        )
        assert descriptions.describe_value(Heap, value, ruleset) == told
        assert descriptions.describe_value(Placed, {"up": False}, ruleset) == "Up: –"
        refusal = RuleViolation("code", "P-9", "No {thing}.", thing="red")
        assert descriptions.refusal_text(refusal, ruleset) == "No red flag."


def test_a_game_without_translations_is_told_in_english(app: Flask) -> None:
    with speaking(app, "fr"):
        take = {"colour": "red", "hole": {"min": 0, "max": 2}}
        assert (
            descriptions.describe_value(PEBBLES.commands["take"], take, PEBBLES)
            == "Take red into hole 0 … 2."
        )


def _pages() -> list[tuple[str, list[str]]]:
    books = {
        "table": table_rule_book.RULES,
        **{name: each.rules for name, each in rulesets().items()},
    }
    return [("/docs/problems", list(PROBLEM_TYPES))] + [
        (f"/docs/rules/{name}", [rule.id for rule in rules]) for name, rules in books.items()
    ]


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize(("path", "anchors"), _pages())
def test_pages_are_told(app: Flask, path: str, anchors: list[str], language: str) -> None:
    """The anchors that `type` leads to are there in every language."""
    answer = app.test_client().get(f"{path}?lang={language}", headers={"Accept-Language": "de"})
    page = answer.text
    assert answer.headers["Content-Language"] == language
    assert "Accept-Language" in answer.headers["Vary"]
    assert f'<html lang="{language}">' in page
    name = path.rpartition("/")[2]
    readings = rulesets()[name].readings if name in rulesets() else ()
    further = ["readings"] if readings else []
    assert re.findall(r'<h2 id="([^"]+)">', page) == [*anchors, *further]
    assert page.count("<tr>") == (len(readings) + 1 if readings else 0)
    assert len(set(re.findall(r'href="\?lang=(..)"', page))) == len(languages.LANGUAGES)
    assert "`" not in page
    if language != "en":
        english = app.test_client().get(path).text
        paragraphs = re.findall(r"<p>.*</p>", page)
        assert not set(paragraphs) & set(re.findall(r"<p>.*</p>", english))
        rows = re.findall(r"<tr>.*</tr>", page)
        assert not set(rows) & set(re.findall(r"<tr>.*</tr>", english))
        assert len(paragraphs) == len(anchors)


def test_pages_show_code_and_emphasis(app: Flask) -> None:
    page = app.test_client().get("/docs/problems").text
    assert "<code>index</code>" in page
    books = [app.test_client().get(f"/docs/rules/{name}").text for name in rulesets()]
    assert any("<em>" in each for each in books)


@pytest.mark.parametrize("name", ["table", *rulesets()])
def test_every_rule_that_is_named_has_its_anchor(name: str) -> None:
    """Whatever rule a refusal can name is in the book that its `type` leads to."""
    folder = SERVICE / ("games" if name == "table" else f"rules/{name}")
    rules = table_rule_book.RULES if name == "table" else rulesets()[name].rules
    named = {
        node.value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and RULE.fullmatch(node.value)
    }
    assert named
    assert named <= {rule.id for rule in rules}


def test_a_tag_without_our_form_is_left_as_it_is() -> None:
    assert (
        conditional_requests._without_language('"12-0123456789abcdef-pt"')
        == '"12-0123456789abcdef"'
    )
    assert (
        conditional_requests._without_language('"12-0123456789abcdef"') == '"12-0123456789abcdef"'
    )
    assert conditional_requests._without_language('"another-pt"') == '"another-pt"'
