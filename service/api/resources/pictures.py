"""Pictures: a game's board as SVG."""

from __future__ import annotations

import functools
from typing import Final

from flask import Response

from schemas.requests import queries

from ... import render
from ...games.game import Game
from ...games.table import state as table_state
from ...render.look import Look
from ...rules import described
from ...rules.plain import Plain
from ..http import (
    authentication,
    conditional_requests,
    documented_headers,
    game_access,
    languages,
    request_parsing,
    translations,
)
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.services import services

blp = Blueprint("pictures", __name__, description="The board of a game as an SVG picture.")

QUERY: Final = queries.PictureQuery()
MEDIA_TYPE: Final = "image/svg+xml"
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
)
"""A picture contains its styles; it runs no scripts and loads nothing."""


@blp.route("/games/<game_id:game_id>/board.svg", methods=["GET"])
@blp.operation(
    "getPicture",
    {
        200: ("The picture, an SVG document.", {"type": "string"}),
        304: "The picture has not changed.",
    },
    security="optional token",
    query=QUERY,
    parameters=[documented_headers.IF_NONE_MATCH, *documented_headers.LANGUAGES],
    headers={
        "ETag": {"description": "the entity tag of this picture", "schema": {"type": "string"}},
        "Content-Language": documented_headers.LANGUAGE,
    },
    codes=["not_found", "gone", "misshapen"],
    media_type=MEDIA_TYPE,
)
def get_picture(game_id: str) -> Response:
    """Return a picture of the board

    The board and what belongs to each seat, drawn from the game's view; with `version`, as it was
    right after that event. The file is self-contained, follows light and dark mode, and labels its
    elements in the requested language; `data-…` attributes contain the ids that commands use. The
    last move is highlighted.
    """
    caller = authentication.bearer_token()
    parameters = request_parsing.query_parameters(QUERY)
    requested = game_access.load_version(game_id, caller, parameters["version"])
    game = requested.game
    tag = f'{conditional_requests.localized_etag(game)[:-1]}-{render.EDITION}"'
    if conditional_requests.not_modified(tag):
        response = http_responses.empty_response(304)
    else:
        show_moves: bool = parameters["moves"]
        draw = functools.partial(_draw, show_moves=show_moves)
        content = services().picture_cache.get(
            game, draw, (show_moves, languages.request_language())
        )
        response = Response(content, content_type=f"{MEDIA_TYPE}; charset=utf-8")
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["ETag"] = tag
    response.vary.add("Authorization")
    return requested.with_cache_control(languages.with_content_language(response))


def _draw(game: Game, show_moves: bool) -> bytes:
    view = None if game.state is None else game.ruleset.view(game.state)
    moves = _legal_moves(game) if show_moves else ()
    look = Look(
        _seat_names(game),
        moves,
        game.last_move,
        languages.request_language(),
        translations.translate,
    )
    return render.svg(game.ruleset.id, view, look).encode()


def _legal_moves(game: Game) -> list[Plain]:
    playing = game.at_append_end and game.table.status == table_state.PLAYING
    return [
        {"seat": seat, "command": described.dump_command(command)}
        for seat in (game.to_act() if playing else ())
        for command in game.ruleset.legal(game.state, seat)
    ]


def _seat_names(game: Game) -> list[str | None]:
    """Returns the names of the seats, None for a seat that is open before the start."""
    bot = translations.translate("Bot {seat}")
    return [
        seat.name or (bot.format(seat=number) if seat.bot else None)
        for number, seat in enumerate(game.table.seats)
    ]
