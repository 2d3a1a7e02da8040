"""Games that come from other games: branches and rematches."""

from __future__ import annotations

from typing import Final

from flask import Response

from schemas import laying, responses

from ..games import branching
from ..games.asked import Written
from . import asking, blueprint, metrics, quotas
from .blueprint import Blueprint
from .games import laid, planned
from .services import services

blp = Blueprint("branches", __name__, description="What if, and once more.")

FORK: Final = laying.ForkGame()
REMATCH: Final = laying.AskRematch()
CODES: Final = [
    "not_found",
    "gone",
    "misshapen",
    "illegal",
    "key_reused",
    "too_many",
    "too_many_bots",
    "too_many_games",
]
HEADERS: Final = {
    "ETag": blueprint.ETAG,
    "Location": blueprint.LOCATION,
    "Idempotent-Replayed": blueprint.REPLAYED,
}


@blp.route("/games/<game_id:game_id>/forks", methods=["POST"])
@blp.operation(
    "forkGame",
    {201: ("A branch is laid; the caller is its host.", responses.Created)},
    needs="required token",
    body=FORK,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=CODES,
)
def fork_game(game_id: str) -> Response:
    """Branch off

    A game of its own that goes on from exactly the position after `version`, with chance of its
    own: what is drawn from there on says nothing of the game branched off from. From a version
    inside a request's events it first goes on by itself until a seat must act. Whoever may read
    the game may do this; deleting the game leaves its branches alone.
    """
    services().limits.check("create")
    caller = asking.own_token()
    body = asking.plain_body()
    wanted = asking.shaped(FORK, body)
    fork = branching.Fork(
        wanted["version"],
        None if wanted["seats"] is None else planned(wanted["seats"]),
        wanted["visibility"],
        wanted["start"],
    )
    asked = asking.asked(caller, body, conditional=False)
    quotas.check_games(caller, asked.game_id)
    return _laid("fork", branching.fork(services().handling, game_id, fork, caller, asked))


@blp.route("/games/<game_id:game_id>/rematch", methods=["POST"])
@blp.operation(
    "askRematch",
    {201: ("The rematch, whoever asked for it first.", responses.Created)},
    needs="required token",
    body=REMATCH,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers=HEADERS,
    codes=[*CODES, "forbidden"],
)
def ask_rematch(game_id: str) -> Response:
    """Ask for a rematch

    The same table again, once play has ended; for its host and its seats. Who asks first is the
    new host. Whoever had a seat holds one at once, with the token that held it last; seats that
    nobody had are open. There is one rematch of a game: who asks later gets the same, marked by
    `Idempotent-Replayed`.
    """
    services().limits.check("create")
    caller = asking.own_token()
    body = asking.plain_body()
    wanted = asking.shaped(REMATCH, body)
    asked = asking.asked(caller, body, conditional=False)
    quotas.check_games(caller, branching.rematch_id(game_id))
    order = wanted["seats"]
    return _laid("rematch", branching.rematch(services().handling, game_id, order, caller, asked))


def _laid(kind: str, written: Written) -> Response:
    if not written.replayed:
        metrics.LAID.labels(kind).inc()
    return laid(written)
