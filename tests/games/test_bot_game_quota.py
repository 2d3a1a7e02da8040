"""Games of bots alone: how they are listed, and how many there may be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.games import bot_game_quota, index_lists
from service.games.bot_game_quota import BotGameQuota, TooManyBotGames
from service.games.commands import tournaments
from service.games.commands.handler import CommandHandler
from service.games.commands.requests import Creation, RequestContext
from service.games.game import Game
from service.games.repository import Repository
from service.games.table.commands import Abandon, GiveToBot, Start
from service.games.table.events import SeatPlan
from service.games.tokens import Token, claim_code
from service.store import MemoryStore
from tests.rules.toy import PEBBLES, Options

HOST = Token("bl_" + "h" * 43)
OTHER = Token("bl_" + "o" * 43)
BOT = SeatPlan("bot", None, "easy")
PERSON = SeatPlan("human")


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.game.rulesets", lambda: {PEBBLES.id: PEBBLES})


def command_handler(client: int = 0, everyone: int = 0) -> CommandHandler:
    """A write path with limits, on a store of its own."""
    store = MemoryStore()
    repository = Repository(store)
    return CommandHandler(
        store, repository, quota=BotGameQuota(store, repository, client, everyone)
    )


def lay(
    here: CommandHandler,
    *seats: SeatPlan,
    token: Token = HOST,
    origin: str | None = None,
    key: str | None = None,
    start: str = "full",
) -> Game:
    """Lays a table; without seats one of bots alone."""
    creation = Creation(PEBBLES, Options(), seats or (BOT, BOT), start=start)
    return here.create(creation, token, RequestContext(token, key, "same", origin=origin)).game


def listed(here: CommandHandler, name: str = index_lists.BOT_GAMES) -> set[str]:
    """The games in a list of the store."""
    return {each.game for each in here.store.list_by_client(name, 100)}


def test_they_are_listed_until_they_are_over() -> None:
    here = command_handler()
    game, waiting = lay(here), lay(here, start="host", token=OTHER)
    lay(here, PERSON, BOT)
    assert listed(here) == {game.id, waiting.id}
    assert listed(here, index_lists.bot_games_of(HOST.hash)) == {game.id}
    here.send(waiting.id, None, [Start()], RequestContext(OTHER))
    assert listed(here) == {game.id, waiting.id}
    here.send(game.id, None, [Abandon()], RequestContext(HOST))
    here.delete(waiting.id, RequestContext(OTHER))
    assert listed(here) == listed(here, index_lists.bot_games_of(HOST.hash)) == set()


def test_they_follow_their_hosts_token() -> None:
    here = command_handler()
    game = lay(here)
    here.rotate_token(HOST, OTHER)
    assert listed(here, index_lists.bot_games_of(HOST.hash)) == set()
    assert listed(here, index_lists.bot_games_of(OTHER.hash)) == {game.id}


def test_a_game_that_people_leave_to_bots_counts_for_its_host_alone() -> None:
    """Else anybody could take all others' room by giving seats away."""
    here = command_handler(client=1, everyone=1)
    game = lay(here, PERSON, BOT)
    code = claim_code(HOST, game.id, 0, 0)
    here.claim(game.id, 0, code, "Ana", "", RequestContext(OTHER))
    here.send(game.id, 0, [GiveToBot("random")], RequestContext(OTHER))
    assert listed(here, index_lists.bot_games_of(HOST.hash)) == {game.id}
    assert listed(here) == set()
    with pytest.raises(TooManyBotGames) as refused:
        lay(here)
    assert refused.value.scope == "client"
    lay(here, token=OTHER)


@pytest.mark.parametrize("start", ["full", "host"])
def test_a_client_may_have_so_many(start: str) -> None:
    here = command_handler(client=2)
    first = lay(here, start=start)
    lay(here, key="k")
    with pytest.raises(TooManyBotGames) as refused:
        lay(here)
    assert (refused.value.scope, refused.value.limit) == ("client", 2)
    lay(here, PERSON, BOT)
    lay(here, token=OTHER)
    lay(here, key="k")  # there already
    here.send(first.id, None, [Abandon()], RequestContext(HOST))
    lay(here)


def test_an_address_may_have_so_many_whatever_its_tokens() -> None:
    here = command_handler(client=2)
    tokens = [Token("bl_" + letter * 43) for letter in "abcd"]
    games = [lay(here, token=token, origin="here") for token in tokens[:2]]
    with pytest.raises(TooManyBotGames) as refused:
        lay(here, token=tokens[2], origin="here")
    assert refused.value.scope == "client"
    lay(here, token=tokens[2], origin="elsewhere")
    here.send(games[0].id, None, [Abandon()], RequestContext(tokens[0]))
    here.delete(games[1].id, RequestContext(tokens[1]))
    here.repository.evict(games[1].id)
    lay(here, token=tokens[3], origin="here")


def test_only_so_many_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_game_quota, "MAX_ORIGINS", 1)
    here = command_handler(client=1)
    lay(here, token=HOST, origin="one")
    lay(here, token=OTHER, origin="two")
    lay(here, token=Token("bl_" + "x" * 43), origin="one")


def test_an_address_that_laid_nothing_that_is_known_has_nothing() -> None:
    here = command_handler(client=1)
    here.bot_game_quota.note("a" * 26, "here")
    lay(here, origin="here")


def test_there_may_be_so_many_in_all() -> None:
    here = command_handler(everyone=2)
    lay(here)
    lay(here, token=OTHER)
    with pytest.raises(TooManyBotGames) as refused:
        lay(here, token=Token("bl_" + "x" * 43))
    assert (refused.value.scope, refused.value.limit) == ("all", 2)


def test_without_limits_there_may_be_any_number() -> None:
    here = command_handler()
    assert len({lay(here, origin="here").id for _ in range(20)}) == 20


def test_the_tables_of_a_tournament_count_together() -> None:
    here = command_handler(client=3)
    creation = Creation(PEBBLES, Options(), (BOT, BOT))
    with pytest.raises(TooManyBotGames):
        tournaments.create_tournament(here, creation, 4, HOST, RequestContext(HOST))
    assert listed(here) == set()
    asked = RequestContext(HOST, "k", "same")
    _, laid = tournaments.create_tournament(here, creation, 3, HOST, asked)
    _, again = tournaments.create_tournament(here, creation, 3, HOST, asked)
    assert [each.game.id for each in laid] == [each.game.id for each in again]
    with pytest.raises(TooManyBotGames):
        tournaments.create_tournament(here, creation, 1, HOST, RequestContext(HOST))
    people = replace(creation, seats=(PERSON, BOT))
    assert len(tournaments.create_tournament(here, people, 5, HOST, RequestContext(HOST))[1]) == 5
