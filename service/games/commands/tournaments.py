"""Duplicate tournaments (T-14): several tables with one chance, and their standings.

A tournament is nothing but its tables: their ids follow from its id and their numbers, and each
says which table of how many it is. They are in different partitions; each keeps the sealed chance
itself, and reveals it once all tables are over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from ...rules.plain import Plain
from ...store import Gone
from .. import authorization, ids, index_lists, views
from ..game import Game
from ..repository import Repository, UnknownGame
from ..table import state as table_state
from ..table.events import MAX_TABLES, Duplicate
from ..tokens import Token
from .errors import NotVisible
from .handler import CommandHandler
from .requests import Creation, RequestContext, game_id_for
from .results import Committed

DELETED: Final = "deleted"


def table_id(tournament: str, number: int) -> str:
    """Returns the id of the game at a tournament's table."""
    return ids.derive_id(f"table\0{tournament}\0{number}")


def create_tournament(
    command_handler: CommandHandler,
    creation: Creation,
    count: int,
    token: Token,
    request: RequestContext,
) -> tuple[str, list[Committed]]:
    """Creates a tournament's tables, all as the creation says. Returns its id and the tables.

    With a key the request can be repeated: missing tables are created then, with the chance of the
    first one. Raises as `CommandHandler.create` does; `TooManyBotGames` before the first table.
    """
    tournament = game_id_for(token, request.key)
    if index_lists.all_bots(creation.seats):
        present = (
            _load_table(command_handler.repository, table_id(tournament, n)) for n in range(count)
        )
        command_handler.bot_game_quota.check(
            token.hash, request.origin, sum(each is None for each in present)
        )
    created: list[Committed] = []
    for number in range(count):
        revealed = bool(created) and created[0].game.table.chance_revealed
        if (
            revealed
            and _load_table(command_handler.repository, table_id(tournament, number)) is None
        ):
            continue  # its draws are known by now
        table = replace(
            creation,
            id=table_id(tournament, number),
            tournament=Duplicate(tournament, number, count),
            bits=_sealed_bits(created[0].game) if created else creation.bits,
        )
        created.append(command_handler.create(table, token, request))
    return tournament, created


def _sealed_bits(game: Game) -> bytes:
    sealed = game.table.created.sealed_chance
    return bytes.fromhex(sealed.get("seed") or sealed["bits"])


def is_outstanding(repository: Repository, game: Game, now: int, patience: int) -> bool:
    """Returns whether some table of a game's tournament is not over at `now` (ms since 1970).

    A missing table is waited for `patience` ms, since its creation may be repeated.
    """
    for _, found in _tables(repository, game):
        if found is None:
            if now - game.table.created_at < patience:
                return True
        elif found != DELETED and not found.table.over:
            return True
    return False


def still_sealed(repository: Repository, game: Game) -> list[str]:
    """Returns the ids of the other tables that are over and have not revealed their chance."""
    return [
        game_id
        for game_id, found in _tables(repository, game)
        if isinstance(found, Game)
        and found.id != game.id
        and found.table.over
        and not found.table.chance_revealed
    ]


def _tables(repository: Repository, game: Game) -> Iterator[tuple[str, Any]]:
    """Yields the id of each table of a game's tournament with its game, `DELETED`, or None where it

    was never created.
    """
    tournament = game.table.created.tournament
    if tournament is not None:
        for number in range(tournament.tables):
            game_id = table_id(tournament.id, number)
            yield game_id, _load_table(repository, game_id)


def _load_table(repository: Repository, game_id: str) -> Any:
    try:
        return repository.load(game_id).game
    except UnknownGame:
        return None
    except Gone:
        return DELETED


@dataclass(frozen=True, slots=True)
class Standing:
    """A table as a caller may see it. `seats` is None where the caller may not see more."""

    table: int
    game: str
    status: str | None
    version: int | None
    seats: list[dict[str, Plain]] | None


@dataclass(frozen=True, slots=True)
class Standings:
    """A tournament as a caller may see it. `first` is any of its games, for what they share."""

    id: str
    first: Game
    revealed: bool
    tables: tuple[Standing, ...]


def standings(repository: Repository, tournament: str, caller: str | None) -> Standings:
    """Returns the standings of a tournament.

    Seats and scores are included for tables that the caller may read, and for finished ones. Raises
    `NotVisible` for who may read none of the tables, and for unknown tournaments; `Gone` where all
    tables were deleted.
    """
    first = _first(repository, tournament)
    found = [game for _, game in _tables(repository, first)]
    games = [game for game in found if isinstance(game, Game)]
    if not any(authorization.may_read(game.table, caller) for game in games):
        raise NotVisible(tournament)
    return Standings(
        tournament,
        first,
        any(game.table.chance_revealed for game in games),
        tuple(_standing(tournament, number, game, caller) for number, game in enumerate(found)),
    )


def _first(repository: Repository, tournament: str) -> Game:
    for number in range(MAX_TABLES):
        found = _load_table(repository, table_id(tournament, number))
        if isinstance(found, Game):
            return found
        if found is None and number == 0:
            raise NotVisible(tournament)
        if found is None:
            break
    raise Gone(tournament, DELETED)


def _standing(tournament: str, number: int, game: Any, caller: str | None) -> Standing:
    game_id = table_id(tournament, number)
    if not isinstance(game, Game):
        return Standing(number, game_id, game, None, None)
    table = game.table
    if not authorization.may_read(table, caller) and table.status != table_state.FINISHED:
        return Standing(number, game_id, table.status, None, None)
    result = table.result
    scoring = views.current_score(game)
    scores: Any = result.score if result is not None else scoring.plain() if scoring else None
    seats: list[dict[str, Plain]] = [
        {
            "seat": place,
            "name": seat.name,
            "kind": seat.kind,
            "total": None if scores is None else scores["seats"][place]["total"],
            "rank": None if scores is None else scores["seats"][place]["rank"],
        }
        for place, seat in enumerate(table.seats)
    ]
    return Standing(number, game_id, table.status, game.version, seats)
