"""Tokens: replace one."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import requests, responses

from ..games.access import Token, is_token, same
from . import asking
from .blueprint import Blueprint
from .presenting import answer
from .problems import Problem
from .services import services

blp = Blueprint("tokens", __name__, description="The client's token.")

ROTATE: Final = requests.RotateToken()


@blp.route("/tokens/rotate", methods=["POST"])
@blp.operation(
    "rotateToken",
    {200: ("The new token stands for the old one.", responses.Rotated)},
    needs="required token",
    body=ROTATE,
    codes=["misshapen", "forbidden", "busy"],
)
def rotate_token() -> Response:
    """Replace the token

    In every game that the caller hosts or plays. May be repeated until it succeeds; the old
    token is worth nothing afterwards.
    """
    caller = asking.required_token()
    if not is_token(caller.text):
        raise Problem("forbidden", "A watch code only reads.")
    new = Token(asking.shaped(ROTATE, asking.plain_body())["token"])
    changed = 0 if same(new.hash, caller.hash) else services().handling.rotate(caller, new)
    return answer({"games": changed}, headers={"Cache-Control": "no-store"})
