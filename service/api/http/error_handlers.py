"""Error handlers: exceptions become problem responses."""

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
from . import conditional_requests, descriptions, request_parsing
from .links import game_links
from .problems import PROBLEM_TYPES, RULE_STATUS, Problem, problem_response, render_problem
from .services import services

log = logging.getLogger(__name__)

CODE_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "wrong_media_type",
}
CLAIM_ENDPOINT: Final = "seats.claim_seat"
"""Where claim codes could be guessed."""

RETRY_SOON: Final = {"Retry-After": "1"}
RETRY_LATER: Final = {"Retry-After": "10"}
"""Games between fast bots are over in seconds."""
GONE_DETAILS: Final = {
    "deleted": Detail("The game was deleted."),
    "archived": Detail("The game was archived."),
}


def register_error_handlers(app: Flask) -> None:
    """Registers a handler for every exception that a request may raise."""
    app.register_error_handler(Problem, problem_response)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(RuleViolation, _rule_violation)
    app.register_error_handler(Misshapen, _invalid_request)
    app.register_error_handler(Stale, _stale)
    app.register_error_handler(
        Busy, lambda _: problem_response(Problem("busy", headers=RETRY_SOON))
    )
    app.register_error_handler(
        WebhookConflict, lambda _: problem_response(Problem("busy", headers=RETRY_SOON))
    )
    app.register_error_handler(TooManyBotGames, _too_many_bot_games)
    app.register_error_handler(KeyReused, lambda _: problem_response(Problem("key_reused")))
    app.register_error_handler(Forbidden, lambda _: problem_response(Problem("forbidden")))
    app.register_error_handler(NotVisible, _not_found)
    app.register_error_handler(UnknownGame, _not_found)
    app.register_error_handler(UnknownWebhook, lambda _: problem_response(Problem("not_found")))
    app.register_error_handler(
        RemovedWebhook, lambda _: problem_response(Problem("gone", "The webhook was removed."))
    )
    app.register_error_handler(TooManyWebhooks, lambda _: problem_response(Problem("hooks_full")))
    app.register_error_handler(
        WebhookDisabled, lambda _: problem_response(Problem("hook_disabled"))
    )
    app.register_error_handler(TooManyOpenAnalyses, _too_many_analyses)
    app.register_error_handler(Gone, _gone)
    app.register_error_handler(Unavailable, _unavailable)
    app.register_error_handler(OutcomeUnknown, _outcome_unknown)
    app.register_error_handler(Corrupt, _internal)
    app.register_error_handler(Exception, _internal)


def _http_error(error: HTTPException) -> Response:
    code = CODE_BY_STATUS.get(error.code or 500)
    if code is None:
        if (error.code or 500) >= 500:
            return _internal(error)
        code = "bad_request"
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return problem_response(Problem(code, headers=headers))


def _rule_violation(refusal: RuleViolation) -> Response:
    game_id = (request.view_args or {}).get("game_id")
    ruleset = rulesets().get((request.view_args or {}).get("ruleset", ""))
    members: dict[str, object] = {"rule": refusal.rule}
    if "index" in refusal.facts:
        members["index"] = refusal.facts["index"]
    if game_id is not None:
        cached = services().repository.cached(game_id)
        if cached is not None:
            members["version"] = cached.version
            ruleset = cached.ruleset
        members["links"] = {"moves": game_links(game_id)["moves"]}
    if refusal.code == "wrong_claim_code":
        try:
            services().rate_limiter.check("tokens")
        except Problem as problem:
            return problem_response(problem)
    rule_book = "table" if ruleset is None or refusal.rule.startswith("T-") else ruleset.id
    return render_problem(
        RULE_STATUS.get(refusal.code, 409),
        f"/docs/rules/{rule_book}#{refusal.rule}",
        PROBLEM_TYPES["illegal"].title,
        refusal.code,
        descriptions.refusal_text(refusal, ruleset),
        members,
        {},
    )


def _not_found(_: Exception) -> Response:
    """Returns the same response for what is hidden from the caller as for what does not exist."""
    if request.endpoint == CLAIM_ENDPOINT:
        try:
            services().rate_limiter.check("tokens")
        except Problem as problem:
            return problem_response(problem)
    return problem_response(Problem("not_found"))


def _invalid_request(error: Misshapen) -> Response:
    return problem_response(
        request_parsing.validation_problem([{"pointer": error.pointer, "detail": error.detail}])
    )


def _stale(stale: Stale) -> Response:
    game = stale.game
    after = min(conditional_requests.if_match_version() or 0, game.version)
    events = f"{game_links(game.id)['events']}?after={after}"
    return problem_response(
        Problem(
            "stale",
            headers={"ETag": conditional_requests.etag(game), "Link": f'<{events}>; rel="next"'},
            version=game.version,
            links={"events": events, "moves": game_links(game.id)["moves"]},
        )
    )


def _too_many_bot_games(error: TooManyBotGames) -> Response:
    detail = {
        "client": Detail(
            "A client may have {limit} unfinished games between bots only.", limit=error.limit
        ),
        "all": Detail(
            "There may be {limit} unfinished games between bots only.", limit=error.limit
        ),
    }[error.scope]
    return problem_response(
        Problem("too_many_bots", detail, headers=RETRY_LATER, scope=error.scope, limit=error.limit)
    )


def _too_many_analyses(_: TooManyOpenAnalyses) -> Response:
    return problem_response(
        Problem(
            "too_many", "You have the maximum number of unfinished analyses.", headers=RETRY_SOON
        )
    )


def _gone(gone: Gone) -> Response:
    return problem_response(Problem("gone", GONE_DETAILS[gone.reason]))


def _unavailable(error: Unavailable) -> Response:
    log.warning("the store is unavailable: %s", error)
    return problem_response(Problem("unavailable", headers=RETRY_SOON))


def _outcome_unknown(error: OutcomeUnknown) -> Response:
    log.warning("the outcome of an append is unknown: %s", error)
    return problem_response(Problem("outcome_unknown", headers=RETRY_SOON))


def _internal(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem_response(Problem("internal"))
