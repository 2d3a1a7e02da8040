"""Tokens: replace the caller's token (rotation)."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import responses
from schemas.requests import tokens as tokens_requests

from ...games.tokens import Token, is_client_token, same_hash
from ..http import authentication, request_parsing
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("tokens", __name__, description="The client's token.")

BODY: Final = tokens_requests.RotateToken()


@blp.route("/tokens/rotate", methods=["POST"])
@blp.operation(
    "rotateToken",
    {200: ("The new token replaces the old one.", responses.RotatedToken)},
    security="required token",
    body=BODY,
    codes=["misshapen", "forbidden", "busy"],
)
def rotate_token() -> Response:
    """Replace the token

    In every game that the caller hosts or plays. May be repeated until it succeeds; the old token
    is invalid afterwards.
    """
    caller = authentication.required_bearer_token()
    if not is_client_token(caller.text):
        raise Problem("forbidden", "A watch code gives read access only.")
    new = Token(request_parsing.load_body(BODY, request_parsing.json_body())["token"])
    changed = (
        0
        if same_hash(new.hash, caller.hash)
        else services().command_handler.rotate_token(caller, new)
    )
    return json_response({"games": changed}, headers={"Cache-Control": "no-store"})
