"""Whatever goes wrong becomes a problem."""

from __future__ import annotations

import logging
from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from ...games.analyses import TooManyOpenAnalyses
from ...games.bot_game_quota import TooManyBotGames
from ...games.commands.errors import Busy, Forbidden, KeyReused, NotVisible, Stale
from ...games.repository import UnknownGame
from ...games.webhooks.model import WebhookConflict
from ...games.webhooks.service import (
    RemovedWebhook,
    TooManyWebhooks,
    UnknownWebhook,
    WebhookDisabled,
)
from ...rules.plain import Detail, Misshapen
from ...rules.ruleset import RuleViolation, rulesets
from ...store import Corrupt, Gone, OutcomeUnknown, Unavailable
from . import conditional_requests, languages, request_parsing
from .links import game_links
from .problems import CODES, LAW_STATUS, Problem, problem_response, render_problem
from .services import services

log = logging.getLogger(__name__)

BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "wrong_media_type",
}
CLAIM: Final = "seats.claim_seat"
"""Where codes are tried."""

SOON: Final = {"Retry-After": "1"}
LATER: Final = {"Retry-After": "10"}
"""Games of quick bots are over in seconds."""
GONE: Final = {
    "deleted": Detail("The game was deleted."),
    "archived": Detail("The game was archived."),
}


def register_error_handlers(app: Flask) -> None:
    """Registers all handlers."""
    app.register_error_handler(Problem, problem_response)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(RuleViolation, _illegal)
    app.register_error_handler(Misshapen, _misshapen)
    app.register_error_handler(Stale, _stale)
    app.register_error_handler(Busy, lambda _: problem_response(Problem("busy", headers=SOON)))
    app.register_error_handler(
        WebhookConflict, lambda _: problem_response(Problem("busy", headers=SOON))
    )
    app.register_error_handler(TooManyBotGames, _crowded)
    app.register_error_handler(KeyReused, lambda _: problem_response(Problem("key_reused")))
    app.register_error_handler(Forbidden, lambda _: problem_response(Problem("forbidden")))
    app.register_error_handler(NotVisible, _hidden)
    app.register_error_handler(UnknownGame, _hidden)
    app.register_error_handler(UnknownWebhook, lambda _: problem_response(Problem("not_found")))
    app.register_error_handler(
        RemovedWebhook, lambda _: problem_response(Problem("gone", "The webhook was removed."))
    )
    app.register_error_handler(TooManyWebhooks, lambda _: problem_response(Problem("hooks_full")))
    app.register_error_handler(
        WebhookDisabled, lambda _: problem_response(Problem("hook_disabled"))
    )
    app.register_error_handler(TooManyOpenAnalyses, _too_many_open)
    app.register_error_handler(Gone, _gone)
    app.register_error_handler(Unavailable, _unavailable)
    app.register_error_handler(OutcomeUnknown, _outcome_unknown)
    app.register_error_handler(Corrupt, _internal)
    app.register_error_handler(Exception, _internal)


def _http(error: HTTPException) -> Response:
    code = BY_STATUS.get(error.code or 500)
    if code is None:
        if (error.code or 500) >= 500:
            return _internal(error)
        code = "bad_request"
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return problem_response(Problem(code, headers=headers))


def _illegal(refusal: RuleViolation) -> Response:
    game_id = (request.view_args or {}).get("game_id")
    ruleset = rulesets().get((request.view_args or {}).get("ruleset", ""))
    members: dict[str, object] = {"rule": refusal.rule}
    if "index" in refusal.facts:
        members["index"] = refusal.facts["index"]
    if game_id is not None:
        known = services().repository.cached(game_id)
        if known is not None:
            members["version"] = known.version
            ruleset = known.ruleset
        members["links"] = {"moves": game_links(game_id)["moves"]}
    if refusal.code == "wrong_claim_code":
        try:
            services().limits.check("tokens")
        except Problem as problem:
            return problem_response(problem)
    book = "table" if ruleset is None or refusal.rule.startswith("T-") else ruleset.id
    return render_problem(
        LAW_STATUS.get(refusal.code, 409),
        f"/docs/rules/{book}#{refusal.rule}",
        CODES["illegal"].title,
        refusal.code,
        languages.refusal_text(refusal, ruleset),
        members,
        {},
    )


def _hidden(_: Exception) -> Response:
    """What a caller may not know of looks like what is not, its limits too."""
    if request.endpoint == CLAIM:
        try:
            services().limits.check("tokens")
        except Problem as problem:
            return problem_response(problem)
    return problem_response(Problem("not_found"))


def _misshapen(fault: Misshapen) -> Response:
    return problem_response(
        request_parsing.validation_problem([{"pointer": fault.pointer, "detail": fault.detail}])
    )


def _stale(stale: Stale) -> Response:
    game = stale.game
    after = min(conditional_requests.if_match_version() or 0, game.version)
    missed = f"{game_links(game.id)['events']}?after={after}"
    return problem_response(
        Problem(
            "stale",
            headers={"ETag": conditional_requests.etag(game), "Link": f'<{missed}>; rel="next"'},
            version=game.version,
            links={"events": missed, "moves": game_links(game.id)["moves"]},
        )
    )


def _crowded(crowded: TooManyBotGames) -> Response:
    detail = {
        "client": Detail(
            "Of games that only bots play a client may have {most} at a time.", most=crowded.most
        ),
        "all": Detail(
            "Of games that only bots play there may be {most} at a time.", most=crowded.most
        ),
    }[crowded.scope]
    return problem_response(
        Problem("too_many_bots", detail, headers=LATER, scope=crowded.scope, limit=crowded.most)
    )


def _too_many_open(_: TooManyOpenAnalyses) -> Response:
    return problem_response(
        Problem("too_many", "As many analyses of yours wait to be done as may.", headers=SOON)
    )


def _gone(gone: Gone) -> Response:
    return problem_response(Problem("gone", GONE[gone.reason]))


def _unavailable(fault: Unavailable) -> Response:
    log.warning("the store is unavailable: %s", fault)
    return problem_response(Problem("unavailable", headers=SOON))


def _outcome_unknown(fault: OutcomeUnknown) -> Response:
    log.warning("the outcome of an append is unknown: %s", fault)
    return problem_response(Problem("outcome_unknown", headers=SOON))


def _internal(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem_response(Problem("internal"))
