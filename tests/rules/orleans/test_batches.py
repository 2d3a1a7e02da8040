"""Batches (T-11): whatever a seat sends in a row fits one request, if its draws come last."""

from __future__ import annotations

import random

import pytest

from service.games.commands import verdicts
from service.games.game import Game
from service.games.table.state import Actor
from service.rules.described import Command
from service.rules.orleans import RULESET, Options
from service.rules.orleans.commands import DrawFollowers, TakeBack
from service.rules.orleans.state import FOLLOWERS
from service.store.memory import MemoryStore
from tests.games.play import Clock, House
from workers.bots import random_level

LONGEST = 32


def in_a_row(game: Game, seat: int, generator: random.Random) -> tuple[list[Command], Game]:
    """Returns random legal commands of a seat up to the first that draws, and where they lead."""
    sent: list[Command] = []
    while len(sent) < LONGEST:
        listed = RULESET.legal(game.state, seat)
        if not listed:
            break
        command = generator.choice(listed)
        (step,) = verdicts.judge_commands(game, Actor(seat), [command], 0).steps
        sent.append(command)
        if step.draws:
            break
    return sent, game


@pytest.mark.parametrize("seed", range(4))
def test_what_a_seat_sends_in_a_row_fits_one_batch(seed: int) -> None:
    """O-2.3, T-11: taking back and then drawing too."""
    generator = random.Random(seed)
    house = House(MemoryStore(Clock()))
    options = Options(planning=("open", "in_turn", "final")[seed % 3])
    game = house.seated(None, None, None, ruleset=RULESET, options=options)
    drew = took_back = 0
    while game.to_act() and (drew < 40 or took_back < 2):
        seat = generator.choice(game.to_act())
        sent, after = in_a_row(game.clone(), seat, generator)
        batch = game.clone()
        judged = verdicts.judge_commands(batch, Actor(seat), sent, 0)
        assert batch.state == after.state
        assert [step.command for step in judged.steps] == sent
        assert not any(step.draws for step in judged.steps[:-1])
        drew += bool(judged.steps[-1].draws)
        took_back += [type(each) for each in sent[-2:]] == [TakeBack, DrawFollowers]
        move = random_level.choose(RULESET, game.state, seat, generator)
        game = house.send(game, seat, move).game
    assert drew >= 40
    assert took_back >= 2


def test_taking_back_and_drawing_in_one_request() -> None:
    """O-2.3, T-11: a draw is declined for a follower, the others are drawn, at once."""
    house = House(MemoryStore(Clock()))
    game = house.seated(None, None, ruleset=RULESET)
    generator = random.Random(5)
    while True:
        seat = game.to_act()[0]
        listed = RULESET.legal(game.state, seat)
        back = [command for command in listed if isinstance(command, TakeBack)]
        if game.state.step == FOLLOWERS and back and game.state.seats[seat].bag_size > 1:
            break
        game = house.send(
            game, seat, random_level.choose(RULESET, game.state, seat, generator)
        ).game
    written = house.send(game, seat, back[0], DrawFollowers(2))
    types = [told.event.type for told in written.events]
    assert types[:4] == ["follower_taken_back", "draw_chosen", "follower_drawn", "follower_drawn"]
