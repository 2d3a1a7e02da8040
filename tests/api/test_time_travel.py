"""A game, its moves and its score at any version."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.api.http_client import SEATS, Person, anybody, code

from .conftest import Clock

FOR_EVER = "max-age=31536000, immutable"
SUFFIXES = ("", "/moves", "/score")


def test_all_is_told_as_it_was(ana: Person, game: str, clock: Clock) -> None:
    path = f"/v1/games/{game}"
    then: dict[int, list[bytes]] = {}
    for _ in range(4):
        version = (ana.get(path).json or {})["version"]
        then[version] = [ana.get(path + suffix).data for suffix in SUFFIXES]
        clock.now += 1_000
        ana.move(game)
    for version, told in then.items():
        answers = [ana.get(f"{path}{suffix}?version={version}") for suffix in SUFFIXES]
        assert [answer.data for answer in answers] == told
        for answer, whose in zip(answers, ("public", "private", "public"), strict=True):
            assert answer.headers["Cache-Control"] == f"{whose}, {FOR_EVER}"
            assert "Authorization" in answer.headers["Vary"]
            assert answer.headers["ETag"].startswith(f'"{version}-')


def test_inside_a_request_nothing_could_be_sent(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}"
    inside = [
        version
        for version in range(1, (ana.get(path).json or {})["version"])
        if (ana.get(f"{path}?version={version}").json or {})["in_progress"]
    ]
    assert inside
    for version in inside:
        told = ana.get(f"{path}/moves?version={version}").json or {}
        assert (told["moves"], told["table"], told["reason"]) == ([], [], "in_progress")


def test_the_score_before_the_start_is_empty(ana: Person, game: str) -> None:
    assert (ana.get(f"/v1/games/{game}/score?version=1").json or {})["seats"] == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_newest_version_is_asked_for_again(ana: Person, game: str, suffix: str) -> None:
    path = f"/v1/games/{game}{suffix}"
    newest = (ana.get(f"/v1/games/{game}").json or {})["version"]
    for query in ("", f"?version={newest}"):
        assert ana.get(path + query).headers["Cache-Control"] == "no-cache"
    for version, told in (
        (newest + 1, (404, "not_found")),
        (0, (422, "misshapen")),
        ("x", (422, "misshapen")),
    ):
        answer = ana.get(f"{path}?version={version}")
        assert (answer.status_code, code(answer)) == told


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_private_games_are_kept_by_their_readers_alone(
    app: Flask, ana: Person, suffix: str
) -> None:
    made = ana.create(*["bot"] * SEATS, visibility="private")
    path = f"/v1/games/{made['game']['id']}{suffix}?version=1"
    assert ana.get(path).headers["Cache-Control"] == f"private, {FOR_EVER}"
    hidden = anybody(app).get(path)
    assert hidden.status_code == 404
    assert hidden.headers["Cache-Control"] == "no-store"


def test_what_is_kept_is_not_sent_again(ana: Person, game: str) -> None:
    path = f"/v1/games/{game}?version=2"
    first = ana.get(path)
    again = ana.get(path, If_None_Match=first.headers["ETag"])
    assert again.status_code == 304
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"]
