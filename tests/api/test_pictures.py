"""A game's picture over HTTP: drawn from the view, kept, asked for again only when it changed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from flask import Flask

from service import render
from service.api.services import Kept
from service.games.game import Game
from service.rules.ruleset import rulesets

from .talk import SEATS, Person, anybody, code


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
    assert answer.get_data(as_text=True) == render.svg(seen["ruleset"]["id"], seen["board"], names)
    assert seen["links"]["picture"] == path(game)


def test_moves_are_marked_where_they_are_asked_for(ana: Person, game: str) -> None:
    seen: dict[str, Any] = ana.get(f"/v1/games/{game}").json or {}
    moves = ana.moves(game)["moves"]
    names = [seat["name"] for seat in seen["seats"]]
    drawn = render.svg(seen["ruleset"]["id"], seen["board"], names, moves)
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

    kept = Kept(2)
    for name in "abacab":
        assert kept.of(games[name], write) == games[name].id.encode()
    assert made == [games[name].id for name in "abcb"]
