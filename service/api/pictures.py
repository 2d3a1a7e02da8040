"""Pictures of games."""

from __future__ import annotations

import functools
from typing import Final

from flask import Response

from schemas import queries

from .. import render
from ..games import table
from ..games.game import Game
from ..render.look import Look
from ..rules import plain
from ..rules.plain import Plain
from . import asking, blueprint, presenting, reaching, texts
from .blueprint import Blueprint
from .services import services

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
    caller = asking.token()
    wanted = asking.query(LOOK)
    found = reaching.seen(game_id, caller, wanted["version"])
    game = found.game
    tag = f'{asking.text_etag(game)[:-1]}-{render.EDITION}"'
    if asking.unchanged(tag):
        response = presenting.nothing(304)
    else:
        marked: bool = wanted["moves"]
        write = functools.partial(_drawn, marked=marked)
        drawn = services().pictures.of(game, write, (marked, texts.language()))
        response = Response(drawn, content_type=f"{MEDIA_TYPE}; charset=utf-8")
        response.headers["Content-Security-Policy"] = POLICY
    response.headers["ETag"] = tag
    response.vary.add("Authorization")
    return found.keep(texts.marked(response))


def _drawn(game: Game, marked: bool) -> bytes:
    view = None if game.law is None else game.ruleset.view(game.law)
    moves = _moves(game) if marked else ()
    look = Look(_names(game), moves, game.last_move, texts.language(), texts.translated)
    return render.svg(game.ruleset.id, view, look).encode()


def _moves(game: Game) -> list[Plain]:
    playing = game.ends and game.table.status == table.PLAYING
    return [
        {"seat": seat, "command": plain.dump_command(command)}
        for seat in (game.to_act() if playing else ())
        for command in game.ruleset.legal(game.law, seat)
    ]


def _names(game: Game) -> list[str | None]:
    """Returns what the seats are called, None for those that are open before the start."""
    bot = texts.translated("Bot {seat}")
    return [
        seat.name or (bot.format(seat=number) if seat.bot else None)
        for number, seat in enumerate(game.table.seats)
    ]
