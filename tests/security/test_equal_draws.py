"""What is still to be drawn shows nowhere: not in a single byte that leaves the service."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from service.games import views
from service.games.game import Game
from service.rules.ruleset import AnyRuleset, rulesets
from tests.workers.receiver import Receiver, receiving

from .worlds import REPRESENTATIONS, SLOW, World, alike, arrangement, seat_token

LAWS = list(rulesets().values())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def told(world: World, whole: bool) -> dict[str, bytes]:
    """All representations, by what they are; the slow ones only where it is to be the whole."""
    found: dict[str, bytes] = {}
    for represent in REPRESENTATIONS:
        if represent in SLOW and not whole:
            continue
        for name, data in represent(world):
            assert name not in found
            found[name] = data
    return found


def played(world: World, moves: int, every: int, whole: bool) -> Iterator[dict[str, bytes]]:
    """Plays first legal moves; yields all representations after the set-up and every few moves."""
    world.lay()
    yield told(world, whole)
    for number in range(1, moves + 1):
        listed = {}
        for seat in range(min(world.ruleset.seats)):
            listed = world.ask(seat_token(seat), "GET", f"{world.path}/moves").json or {}
            if listed["moves"]:
                break
        else:
            break
        move = listed["moves"][0]
        body = {"seat": move["seat"], "command": move["command"]}
        sent = world.ask(seat_token(move["seat"]), "POST", f"{world.path}/commands", body)
        assert sent.status_code == 201, sent.data
        if number % every == 0:
            yield {**told(world, whole), "the answer": sent.data}


def compare(
    patch: pytest.MonkeyPatch,
    worlds: tuple[World, World],
    moves: int,
    every: int,
    whole: bool = False,
) -> int:
    """Plays in both worlds and compares. Returns how many bytes were compared."""
    first, second = worlds
    found: list[list[dict[str, bytes]]] = []
    for world in worlds:
        with alike(patch, world, first):
            found.append(list(played(world, moves, every, whole)))
    # The worlds truly differ in what comes next, or all of this would say nothing.
    assert first.next_draw() != second.next_draw()
    assert len(found[0]) == len(found[1]) > 1
    size = 0
    for one, other in zip(*found, strict=True):
        assert list(one) == list(other)
        for name, data in one.items():
            assert data == other[name], f"{name} tells of what is to come"
            size += len(data)
    return size


def sealed(app: Flask, law: AnyRuleset, receiver: Receiver) -> tuple[World, World]:
    return World(app, "one", law, None, receiver), World(app, "two", law, None, receiver)


def arranged(
    app: Flask, law: AnyRuleset, receiver: Receiver, moves: int, seed: int
) -> tuple[World, World]:
    """Worlds whose outcomes go on otherwise, one of them longer, after what is played."""
    outcomes = arrangement(law, moves, random.Random(seed))
    going_on = arrangement(law, moves, random.Random(seed + 1))
    one, other = [*outcomes, *going_on], [*outcomes, *going_on[::-1], *going_on]
    return World(app, "one", law, one, receiver), World(app, "two", law, other, receiver)


@pytest.mark.broad
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_equal_draws_make_equal_bytes(
    app: Flask, law: AnyRuleset, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games with other seeds whose draws so far came out alike."""
    assert compare(monkeypatch, sealed(app, law, receiver), 4, 4) > 100_000


@pytest.mark.broad
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_what_is_arranged_shows_when_it_comes(
    app: Flask, law: AnyRuleset, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games with the same outcomes so far, and others, and another number of them, to come."""
    assert compare(monkeypatch, arranged(app, law, receiver, 4, 1), 4, 4) > 100_000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_equal_draws_make_equal_bytes_for_long(
    app: Flask, law: AnyRuleset, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The same over whole stretches of games."""
    compare(monkeypatch, sealed(app, law, receiver), 60 + seed, 5 + seed, whole=True)
    compare(monkeypatch, arranged(app, law, receiver, 60, seed), 60, 7, whole=True)


def test_a_leak_would_be_found(
    app: Flask, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view that told a bit of the seed would not get through."""
    usual = views.summary

    def leaking(game: Game) -> dict[str, Any]:
        found: dict[str, Any] = usual(game)
        seed = game.table.created.sealed_chance["seed"]
        return {**found, "created_at": found["created_at"] + int(seed[:4], 16)}

    monkeypatch.setattr(views, "summary", leaking)
    worlds = sealed(app, LAWS[0], receiver)
    with pytest.raises(AssertionError, match="tells of what is to come"):
        compare(monkeypatch, worlds, 1, 1)
