"""Pictures of games."""

from __future__ import annotations

import functools
from typing import Final

from flask import Response

from schemas.requests import queries

from ... import render
from ...games.game import Game
from ...games.table import state as table_state
from ...render.look import Look
from ...rules import plain
from ...rules.plain import Plain
from ..http import (
    authentication,
    blueprint,
    conditional_requests,
    game_access,
    languages,
    request_parsing,
)
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.services import services

blp = Blueprint("pictures", __name__, description="Games as pictures.")

LOOK: Final = queries.PictureQuery()
MEDIA_TYPE: Final = "image/svg+xml"
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""A picture brings its looks along; it runs nothing and asks for nothing."""


@blp.route("/games/<game_id:game_id>/board.svg", methods=["GET"])
@blp.operation(
    "getPicture",
    {
        200: ("The picture, an SVG document.", {"type": "string"}),
        304: "The picture is still the one named.",
    },
    needs="optional token",
    query=LOOK,
    parameters=[blueprint.IF_NONE_MATCH, *blueprint.LANGUAGES],
    headers={
        "ETag": {"description": "of this picture", "schema": {"type": "string"}},
        "Content-Language": blueprint.LANGUAGE,
    },
    codes=["not_found", "gone", "misshapen"],
    media=MEDIA_TYPE,
)
def get_picture(game_id: str) -> Response:
    """Look at a game's picture

    The board and what belongs to each seat, drawn from the game's view; with `version`, as it
    was right after that event. Needs no other file, follows light and dark mode, and names what
    it shows, in the language that is asked for: elements carry the ids that commands use as
    `data-…` attributes. What the last move was about is marked.
    """
    caller = authentication.bearer_token()
    wanted = request_parsing.query_parameters(LOOK)
    found = game_access.load_version(game_id, caller, wanted["version"])
    game = found.game
    tag = f'{conditional_requests.localized_etag(game)[:-1]}-{render.EDITION}"'
    if conditional_requests.not_modified(tag):
        response = http_responses.empty_response(304)
    else:
        marked: bool = wanted["moves"]
        write = functools.partial(_draw, marked=marked)
        drawn = services().pictures.of(game, write, (marked, languages.request_language()))
        response = Response(drawn, content_type=f"{MEDIA_TYPE}; charset=utf-8")
        response.headers["Content-Security-Policy"] = POLICY
    response.headers["ETag"] = tag
    response.vary.add("Authorization")
    return found.keep(languages.with_content_language(response))


def _draw(game: Game, marked: bool) -> bytes:
    view = None if game.state is None else game.ruleset.view(game.state)
    moves = _legal_moves(game) if marked else ()
    look = Look(
        _seat_names(game), moves, game.last_move, languages.request_language(), languages.translate
    )
    return render.svg(game.ruleset.id, view, look).encode()


def _legal_moves(game: Game) -> list[Plain]:
    playing = game.at_append_end and game.table.status == table_state.PLAYING
    return [
        {"seat": seat, "command": plain.dump_command(command)}
        for seat in (game.to_act() if playing else ())
        for command in game.ruleset.legal(game.state, seat)
    ]


def _seat_names(game: Game) -> list[str | None]:
    """Returns what the seats are called, None for those that are open before the start."""
    bot = languages.translate("Bot {seat}")
    return [
        seat.name or (bot.format(seat=number) if seat.bot else None)
        for number, seat in enumerate(game.table.seats)
    ]
