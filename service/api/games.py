"""Games: lay a table, list, look, remove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request

from schemas import laying, queries, responses

from ..games import access, reading
from ..games.access import Token
from ..games.asked import Creation, Written
from ..games.events import SeatPlan
from ..games.game import Game
from ..games.repository import UnknownGame
from ..games.table import STATUSES
from ..rules.ruleset import rulesets
from ..store.protocol import Gone, Listed
from . import asking, blueprint, presenting, quotas, reaching
from .blueprint import Blueprint
from .presenting import answer
from .services import links, services, view

blp = Blueprint("games", __name__, description="Tables, from laying them to removing them.")

CREATE: Final = laying.CreateGame()
LIST: Final = queries.ListQuery()
LOOK: Final = queries.GameQuery()
MOST_PAGE: Final = 100
MOST_SEEN: Final = 500
"""How many games one page of a list looks at."""


@blp.route("/games", methods=["POST"])
@blp.operation(
    "createGame",
    {201: ("A table is laid; the creator is its host.", responses.Created)},
    needs="optional token",
    body=CREATE,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"ETag": blueprint.ETAG, "Location": blueprint.LOCATION},
    codes=["misshapen", "key_reused", "too_many", "too_many_bots", "too_many_games", "gone"],
)
def create_game() -> Response:
    """Lay a table

    Seats of kind `human` are open: whoever has a seat's claim code may take it. With the last
    claim (or at once, if all seats are bots) the game starts.
    """
    services().limits.check("create")
    caller = asking.client_token()
    body = asking.plain_body()
    wanted = asking.shaped(CREATE, body)
    token = access.new_token() if caller is None else caller
    asked = asking.asked(token, body, conditional=False)
    if caller is not None:
        quotas.check_games(caller, asked.game_id)
    written = services().handling.create(creation(wanted), token, asked)
    return laid(written, token if caller is None else None)


def creation(wanted: Mapping[str, Any]) -> Creation:
    """Returns how a table is to be laid, from the fields that all who lay one send."""
    return Creation(
        rulesets()[wanted["ruleset"]],
        wanted["options"],
        planned(wanted["seats"]),
        wanted["visibility"],
        wanted["start"],
        None if wanted["chance"] is None else wanted["chance"]["outcomes"],
        deadline=wanted["deadline"],
        bot_delay=wanted["bot_delay"],
        advice=wanted["advice"],
    )


def planned(seats: Iterable[Mapping[str, Any]]) -> tuple[SeatPlan, ...]:
    """Returns seats as a host plans them."""
    return tuple(SeatPlan(seat["kind"], seat["name"], seat.get("level")) for seat in seats)


def laid(written: Written, made: Token | None = None) -> Response:
    """Returns the answer that shows a table that was laid, with the token made for its host."""
    shown = {
        "game": {**reading.view(written.game), "links": links(written.game.id)},
        "claim_codes": presenting.codes(written),
        "watch_code": written.watch,
        "token": None if made is None else made.text,
        **presenting.durable(written),
    }
    headers = {
        "Location": links(written.game.id)["self"],
        "Cache-Control": "no-store",
        **presenting.replayed(written),
    }
    return answer(shown, 201, headers, game=written.game)


@blp.route("/games", methods=["GET"])
@blp.operation(
    "listGames",
    {200: ("A page of games.", responses.Games)},
    needs="optional token",
    query=LIST,
    codes=["misshapen", "token_required"],
)
def list_games() -> Response:
    """List games

    Public games, or with `mine` those that the token hosts or plays. A page may be short; only
    `next` tells whether there are more.
    """
    caller = asking.token()
    wanted = asking.query(LIST)
    if wanted["mine"]:
        caller = asking.required_token()
        client = caller.hash

        def listing(before: Listed | None) -> list[Listed]:
            return services().store.list_client(client, MOST_PAGE, before)

    else:
        statuses = [wanted["status"]] if wanted["status"] else list(STATUSES)

        def listing(before: Listed | None) -> list[Listed]:
            return newest(
                [services().store.list_status(each, MOST_PAGE, before) for each in statuses]
            )

    def fits(game: Game) -> bool:
        return (wanted["ruleset"] in (None, game.ruleset.id)) and (
            wanted["status"] in (None, game.table.status)
        )

    page, following = paged(
        listing,
        wanted["cursor"],
        wanted["limit"],
        lambda game: reading.short(game) if fits(game) else None,
    )
    return answer({"games": page, "next": following}, headers=next_link(following))


@blp.route("/games/<game_id:game_id>", methods=["GET"])
@blp.operation(
    "getGame",
    {200: ("The game.", responses.Game), 304: "The game is still at the version named."},
    needs="optional token",
    query=LOOK,
    parameters=[blueprint.IF_NONE_MATCH],
    headers={"ETag": blueprint.ETAG},
    codes=["not_found", "gone", "misshapen"],
)
def get_game(game_id: str) -> Response:
    """Look at a game

    Everything that may be seen; with `version`, as it was right after that event. Answers on an
    earlier version than the newest may be kept for ever.
    """
    caller = asking.token()
    version = asking.query(LOOK)["version"] if request.query_string else None
    found = reaching.seen(game_id, caller, version)
    game = found.game
    if asking.unchanged(asking.etag(game)):
        response = presenting.nothing(304)
        response.headers["ETag"] = asking.etag(game)
    else:
        response = answer(services().views.of(game, view), game=game)
    response.vary.add("Authorization")
    return found.keep(response)


@blp.route("/games/<game_id:game_id>", methods=["DELETE"])
@blp.operation(
    "deleteGame",
    {204: "The game is removed."},
    needs="required token",
    parameters=[blueprint.IF_MATCH],
    codes=["not_found", "gone", "forbidden", "stale", "busy"],
)
def delete_game(game_id: str) -> Response:
    """Remove a game

    For good, with its whole record. Only the host may.
    """
    caller = asking.required_token()
    services().handling.delete(game_id, asking.asked(caller, None))
    return presenting.nothing()


def paged(
    listing: Callable[[Listed | None], list[Listed]],
    cursor: str | None,
    limit: int,
    told: Callable[[Game], Any],
) -> tuple[list[Any], str | None]:
    """Returns a page of what `told` tells of the games listed (None: left out), and the next

    page's cursor. Looks at no more than `MOST_SEEN` games.
    """
    before = None if cursor is None else _placed(cursor)
    page: list[Any] = []
    for seen, (listed, game) in enumerate(_all(listing, before), start=1):
        found = None if game is None else told(game)
        if found is not None:
            page.append(found)
        if len(page) == limit or seen == MOST_SEEN:
            return page, _cursor(listed)
    return page, None


def newest(lists: list[list[Listed]]) -> list[Listed]:
    """Returns lists merged, newest first, as far as none of them is missing something."""
    merged = sorted(
        (each for found in lists for each in found), key=lambda each: (-each.since, each.game)
    )
    return merged[:MOST_PAGE]


def _all(
    listing: Callable[[Listed | None], list[Listed]], before: Listed | None
) -> Iterator[tuple[Listed, Game | None]]:
    while found := listing(before):
        for listed in found:
            try:
                game: Game | None = services().repository.load(listed.game).game
            except (UnknownGame, Gone):  # removed since it was listed
                game = None
            yield listed, game
        before = found[-1]


def _cursor(listed: Listed) -> str:
    return f"{listed.since}-{listed.game}"


def _placed(cursor: str) -> Listed:
    since, _, game = cursor.partition("-")
    return Listed(game, int(since))


def next_link(following: str | None) -> dict[str, str]:
    """Returns the header that leads to the next page of what was asked."""
    if following is None:
        return {}
    asked = urlencode({**request.args, "cursor": following})
    return {"Link": f'<{request.path}?{asked}>; rel="next"'}
