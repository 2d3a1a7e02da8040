"""Views: what clients may read of a game as plain data, the same for every caller."""

from __future__ import annotations

from ..rules.described import dump
from ..rules.plain import Plain
from ..rules.ruleset import Scoring
from .commands import verdicts
from .game import Game
from .table.events import Duplicate, Imported, Place


def summary(game: Game) -> dict[str, Plain]:
    """Returns a game as it is listed: who plays what, and how far it is."""
    table = game.table
    return {
        "id": game.id,
        "ruleset": {"id": game.ruleset.id, "version": table.ruleset_version},
        "version": game.version,
        "status": table.status,
        "visibility": table.created.visibility,
        "seats": [
            {
                "seat": number,
                "name": seat.name,
                "kind": seat.kind,
                "level": seat.level,
                "open": seat.claim is not None,
                "resigned": seat.resigned,
            }
            for number, seat in enumerate(table.seats)
        ],
        "to_act": list(game.to_act()),
        "clocks": clocks_view(game),
        "created_at": table.created_at,
        "changed_at": table.changed_at,
    }


def clocks_view(game: Game) -> list[Plain]:
    """Returns the clocks of people's seats (T-8): the time (ms) each had left at the last append,

    and when (ms since 1970) it runs out, where it runs. Empty without a deadline.
    """
    table = game.table
    return [
        {"seat": seat, "bank": clock.bank, "deadline": clock.until}
        for seat, clock in enumerate(table.clocks)
        if not table.seats[seat].bot
    ]


def game_view(game: Game) -> dict[str, Plain]:
    """Returns a whole game, as any caller may see it."""
    table = game.table
    return {
        **summary(game),
        "in_progress": not game.at_append_end,
        "start": table.created.start,
        "forked_from": place_view(table.created.forked_from),
        "rematch_of": table.created.rematch_of,
        "tournament": tournament_view(table.created.tournament),
        "imported": import_view(table.created.imported),
        "options": table.created.options,
        "deadline": None if table.created.deadline is None else dump(table.created.deadline),
        "bot_delay": table.created.bot_delay,
        "advice": table.created.advice,
        "chance": {
            "kind": table.created.chance,
            "id": table.created.chance_id,
            "commitment": table.created.commitment,
            "entropies": [seat.entropy for seat in table.seats],
            "draws": table.next_draw,
        },
        "undo": None
        if table.take_back_request is None
        else {
            "seat": table.take_back_request.seat,
            "to_version": table.take_back_request.to_version,
            "agreed": sorted(table.take_back_agreed),
        },
        "board": None if game.state is None else game.ruleset.view(game.state),
    }


def place_view(position: Place | None) -> dict[str, Plain] | None:
    """Returns a position of another game as plain data."""
    return None if position is None else dump(position)


def tournament_view(table: Duplicate | None) -> dict[str, Plain] | None:
    """Returns which table of which tournament a game is, as plain data."""
    return None if table is None else dump(table)


def import_view(origin: Imported | None) -> dict[str, Plain] | None:
    """Returns which record a game was imported from, as plain data."""
    return None if origin is None else dump(origin)


def current_score(game: Game) -> Scoring | None:
    """Returns the score now, with the table's ranks; None before the start."""
    return None if game.state is None else verdicts.score_game(game)
