"""A game's picture over HTTP: drawn from the view, kept, asked for again only when it changed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from flask import Flask

from service import render
from service.api.http import (
    languages,
    translations,
)
from service.api.http.representation_cache import RepresentationCache
from service.games.game import Game
from service.render.look import Look
from service.rules.ruleset import rulesets
from tests.api.http_client import SEATS, Person, anybody, code
from tests.render.pictures import positions

from .test_catalogs import ALIKE


def path(game: str, query: str = "") -> str:
    return f"/v1/games/{game}/board.svg{query}"


def test_the_picture_is_that_of_the_view(ana: Person, game: str) -> None:
    """T-9: it follows from what anybody reads, so it tells nothing of what will be drawn."""
    answer = ana.get(path(game))
    assert answer.status_code == 200
    assert answer.content_type == "image/svg+xml; charset=utf-8"
    assert answer.headers["Content-Security-Policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'"
    )
    assert answer.headers["Cache-Control"] == "no-cache"
    seen: dict[str, Any] = ana.get(f"/v1/games/{game}").json or {}
    names = [seat["name"] for seat in seen["seats"]]
    drawn = render.svg(seen["ruleset"]["id"], seen["board"], Look(names))
    assert answer.get_data(as_text=True) == drawn
    assert seen["links"]["picture"] == path(game)


def test_moves_are_marked_where_they_are_asked_for(ana: Person, game: str) -> None:
    seen: dict[str, Any] = ana.get(f"/v1/games/{game}").json or {}
    moves = ana.moves(game)["moves"]
    names = [seat["name"] for seat in seen["seats"]]
    drawn = render.svg(seen["ruleset"]["id"], seen["board"], Look(names, moves))
    assert ana.get(path(game, "?moves=true")).get_data(as_text=True) == drawn
    assert ana.get(path(game)).get_data(as_text=True) != drawn


def test_no_moves_are_marked_inside_an_append(ana: Person, game: str) -> None:
    version = 1 + SEATS
    seen: dict[str, Any] = ana.get(f"/v1/games/{game}?version={version + 1}").json or {}
    assert seen["in_progress"]
    asked = f"?version={version + 1}"
    plain = ana.get(path(game, asked)).data
    assert ana.get(path(game, f"{asked}&moves=true")).data == plain


def test_an_earlier_version_is_drawn_as_it_was(ana: Person, game: str) -> None:
    before = ana.get(path(game))
    version = (ana.get(f"/v1/games/{game}").json or {})["version"]
    ana.move(game)
    after = ana.get(path(game))
    assert after.data != before.data
    then = ana.get(path(game, f"?version={version}"))
    assert (then.data, then.headers["ETag"]) == (before.data, before.headers["ETag"])


def test_a_picture_that_is_known_is_not_sent_again(ana: Person, game: str) -> None:
    tag = ana.get(path(game)).headers["ETag"]
    again = ana.get(path(game), If_None_Match=tag)
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    view = ana.get(f"/v1/games/{game}").headers["ETag"]
    assert ana.get(path(game), If_None_Match=view).status_code == 200, "the view's tag is another"
    ana.move(game)
    assert ana.get(path(game), If_None_Match=tag).status_code == 200


def test_before_the_start_the_seats_are_shown(ana: Person) -> None:
    made = ana.create("human", "bot", *["human"] * (SEATS - 2))
    game = made["game"]["id"]
    shown = ana.get(path(game, "?moves=true")).get_data(as_text=True)
    words = [each.text for each in ET.fromstring(shown).iter() if each.text]
    assert "The game has not begun" in words
    assert "open" in words
    assert "Bot 1" in words


def test_the_last_move_is_marked_as_long_as_it_counts(ana: Person, game: str) -> None:
    """T-7: what is taken back is not marked any more."""

    def seen(last: Any = None) -> bool:
        view: dict[str, Any] = ana.get(f"/v1/games/{game}").json or {}
        look = Look([seat["name"] for seat in view["seats"]], last=last)
        drawn = render.svg(view["ruleset"]["id"], view["board"], look)
        return ana.get(path(game)).get_data(as_text=True) == drawn

    assert seen()
    move = ana.moves(game)["moves"][0]
    assert ana.send(game, move["command"], move["seat"]).status_code == 201
    assert seen({"seat": move["seat"], "command": move["command"]})
    assert ana.send(game, {"type": "undo"}, move["seat"]).status_code == 201
    assert seen()


@pytest.mark.parametrize("name", rulesets())
def test_pictures_speak_the_language_that_is_asked_for(ana: Person, name: str) -> None:
    """Every text that is drawn, titles and labels included, is translated; nothing else changes."""
    ruleset = rulesets()[name]
    seats = [{"kind": "bot"}] * ruleset.seats[-1]
    made = ana.post("/v1/games", {"ruleset": name, "seats": seats}).json or {}
    where = path(made["game"]["id"], "?moves=true")
    answers = {each: ana.get(where, Accept_Language=each) for each in languages.LANGUAGES}
    assert len({answer.headers["ETag"] for answer in answers.values()}) == len(answers)
    shapes = set()
    for language, answer in answers.items():
        assert answer.headers["Content-Language"] == language
        assert {"Accept-Language", "Authorization"} <= set(answer.headers["Vary"].split(", "))
        root = ET.fromstring(answer.data)
        assert root.attrib["lang"] == language
        shapes.add(tuple(each.tag for each in root.iter()))
        same = {"If_None_Match": answer.headers["ETag"]}
        again = ana.get(where, Accept_Language=language, **same)
        assert (again.status_code, again.headers["ETag"]) == (304, answer.headers["ETag"])
        assert "Accept-Language" in again.headers["Vary"]
        others = [each for each in answers if each != language]
        assert ana.get(where, Accept_Language=others[0], **same).status_code == 200
        assert ana.get(f"{where}&lang={language}").data == answer.data
    assert len(shapes) == 1


@pytest.mark.parametrize("language", sorted({*languages.LANGUAGES} - {"en"}))
@pytest.mark.parametrize("name", rulesets())
def test_every_text_of_a_picture_is_in_the_catalogs(app: Flask, name: str, language: str) -> None:
    ruleset = rulesets()[name]
    asked: set[str] = set()

    def translated(text: str) -> str:
        asked.add(text)
        return translations.translate(text)

    with app.test_request_context(headers={"Accept-Language": language}):
        for view, moves in positions(ruleset, 2, 3, every=29):
            render.svg(name, view, Look((), moves, None, language, translated))
        render.svg(name, None, Look(["Ana", None], (), None, language, translated))
        untold = {text for text in asked if translations.translate(text) == text}
    assert len(asked) > 20
    assert {text for text in untold if ALIKE.fullmatch(text) is None} == set()


def test_the_gate_is_that_of_the_view(app: Flask, ana: Person) -> None:
    game = ana.create(visibility="private")["game"]["id"]
    stranger = anybody(app)
    refused = stranger.get(path(game))
    assert (refused.status_code, code(refused)) == (404, "not_found")
    assert ana.get(path(game)).status_code == 200
    assert ana.get(path(game, "?version=99")).status_code == 404
    assert ana.get(path(game, "?version=0")).status_code == 422
    assert ana.get(path(game, "?moves=maybe")).status_code == 422
    ana.ask("DELETE", f"/v1/games/{game}")
    assert ana.get(path(game)).status_code == 410


@pytest.mark.parametrize("name", rulesets())
def test_every_ruleset_is_drawn(ana: Person, name: str) -> None:
    ruleset = rulesets()[name]
    seats = [{"kind": "bot"}] * ruleset.seats[-1]
    made = ana.post("/v1/games", {"ruleset": name, "seats": seats}).json or {}
    answer = ana.get(path(made["game"]["id"], "?moves=true"))
    root = ET.fromstring(answer.data)
    assert root.attrib["role"] == "img"
    assert next(iter(root)).text == ruleset.title


def test_only_so_many_pictures_are_kept(app: Flask, ana: Person) -> None:
    repository = app.extensions["bailli"].repository
    games = {name: repository.load(ana.create()["game"]["id"]).game for name in "abc"}
    made: list[str] = []

    def write(game: Game) -> bytes:
        made.append(game.id)
        return game.id.encode()

    kept = RepresentationCache(2)
    for name in "abacab":
        assert kept.get(games[name], write) == games[name].id.encode()
    assert made == [games[name].id for name in "abcb"]
