"""Work that nobody waits for, and work that takes long, delays nobody's bots."""

from __future__ import annotations

import random
import time
from pathlib import Path

from service.games.table import state as table_state
from service.games.tokens import new_token
from service.rules.ruleset import rulesets
from tests.faults.deployment import FAST, SLOW, Place, laid, running
from tests.faults.direct_players import Person

RULESET = next(iter(rulesets().values()))


def versions(place: Place, games: list[str]) -> dict[str, int]:
    """Returns the versions of the games that are still played."""
    found = [place.context.command_handler.repository.load(game).game for game in games]
    return {game.id: game.version for game in found if game.table.status == table_state.PLAYING}


def warm(place: Place) -> None:
    """Waits until the fast worker works."""
    game = laid(place, RULESET, new_token(), "warm", "random", "random")
    before = versions(place, [game])
    limit = time.monotonic() + 60
    while versions(place, [game]) == before:
        assert time.monotonic() < limit, "no worker begins"
        time.sleep(0.01)


def play(place: Place, turns: int) -> float:
    """Plays so many turns against an easy bot. Returns the longest time (s) it took for one."""
    host = new_token()
    game_id = laid(place, RULESET, host, "person", None, "easy")
    person = Person(place.context, game_id, 0, random.Random(1))
    person.sit(host)
    longest = 0.0
    for _ in range(turns):
        begun = time.monotonic()
        while (game := place.context.command_handler.repository.load(game_id).game).to_act() != (
            0,
        ):
            assert game.table.status == table_state.PLAYING
            assert time.monotonic() < begun + 30, "the bot does not move"
            time.sleep(0.002)
        longest = max(longest, time.monotonic() - begun)
        while place.context.command_handler.repository.load(game_id).game.to_act() == (0,):
            assert person._turn()
    return longest


def test_a_flood_of_games_of_bots_alone_delays_no_persons_game(tmp_path: Path) -> None:
    host = new_token()
    with running(tmp_path) as place:
        warm(place)
        flood = [laid(place, RULESET, host, f"{n}", "easy", "easy") for n in range(200)]
        before = versions(place, flood)
        longest = play(place, 8)
        after = versions(place, flood)
        assert len(after) > 150, "the flood is over before the person's game"
        assert sum(after.values()) > sum(before[game] for game in after), "it goes on meanwhile"
    print(f"longest wait for a bot in a flood: {longest:.3f} s")


def test_games_of_hard_bots_delay_no_easy_one(tmp_path: Path) -> None:
    host = new_token()
    with running(tmp_path, (FAST, SLOW)) as place:
        warm(place)
        hard = [laid(place, RULESET, host, f"{n}", "hard", "hard") for n in range(5)]
        begun = versions(place, hard)
        longest = play(place, 5)
        assert len(versions(place, hard)) == len(hard)
        limit = time.monotonic() + 60
        while versions(place, hard) == begun:
            assert time.monotonic() < limit, "hard bots do not move at all"
            time.sleep(0.05)
    print(f"longest wait for an easy bot beside hard ones: {longest:.3f} s")
