"""Pictures of games."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import requests

from .. import render
from ..games import table
from ..games.game import Game
from ..rules import plain
from ..rules.plain import Plain
from . import asking, blueprint, presenting, reaching
from .blueprint import Blueprint
from .services import services

blp = Blueprint("pictures", __name__, description="Games as pictures.")

LOOK: Final = requests.PictureQuery()
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
    parameters=[blueprint.IF_NONE_MATCH],
    headers={"ETag": {"description": "of this picture", "schema": {"type": "string"}}},
    codes=["not_found", "gone", "misshapen"],
    media=MEDIA_TYPE,
)
def get_picture(game_id: str) -> Response:
    """Look at a game's picture

    The board and what belongs to each seat, drawn from the game's view; with `version`, as it
    was right after that event. Needs no other file, follows light and dark mode, and names what
    it shows: elements carry the ids that commands use as `data-…` attributes.
    """
    caller = asking.token()
    wanted = asking.query(LOOK)
    found = reaching.seen(game_id, caller, wanted["version"])
    game = found.game
    tag = f'{asking.etag(game)[:-1]}-{render.EDITION}"'
    if asking.unchanged(tag):
        response = presenting.nothing(304)
    else:
        marked: bool = wanted["moves"]
        drawn = services().pictures.of(game, _marked if marked else _drawn, marked)
        response = Response(drawn, content_type=f"{MEDIA_TYPE}; charset=utf-8")
        response.headers["Content-Security-Policy"] = POLICY
    response.headers["ETag"] = tag
    response.vary.add("Authorization")
    return found.keep(response)


def _drawn(game: Game, moves: list[Plain] | None = None) -> bytes:
    view = None if game.law is None else game.ruleset.view(game.law)
    return render.svg(game.ruleset.id, view, _names(game), moves or ()).encode()


def _marked(game: Game) -> bytes:
    playing = game.ends and game.table.status == table.PLAYING
    return _drawn(
        game,
        [
            {"seat": seat, "command": plain.dump_command(command)}
            for seat in (game.to_act() if playing else ())
            for command in game.ruleset.legal(game.law, seat)
        ],
    )


def _names(game: Game) -> list[str | None]:
    """Returns what the seats are called, None for those that are open before the start."""
    return [
        seat.name or (f"Bot {number}" if seat.bot else None)
        for number, seat in enumerate(game.table.seats)
    ]
