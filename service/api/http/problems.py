"""Problem details (RFC 9457): the registry of problem types, and responses of them.

The codes of rule violations are the rulesets' own; they are returned as 409 with the rule, except
those in `RULE_STATUS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, request

from . import languages, translations

MEDIA_TYPE: Final = "application/problem+json"
PROBLEMS_PATH: Final = "/docs/problems"


class ProblemType(NamedTuple):
    """A type of problem: HTTP status, title and explanation."""

    status: int
    title: str
    text: str


PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = {
    "bad_request": ProblemType(
        400, "Bad request", "The request is not valid HTTP, or a header is invalid."
    ),
    "malformed_json": ProblemType(400, "Malformed JSON", "The body is not JSON in UTF-8."),
    "token_required": ProblemType(
        401,
        "Token required",
        "This request requires a client token, sent as `Authorization: Bearer bl_…`. Clients "
        "generate their own.",
    ),
    "token_malformed": ProblemType(
        401,
        "Malformed token",
        "The Authorization header contains neither a client token (bl_…) nor a watch code (bw_…).",
    ),
    "forbidden": ProblemType(
        403, "Not allowed", "The token does not have permission to do this in this game."
    ),
    "too_many_games": ProblemType(
        403,
        "Too many games",
        "The token already hosts the maximum number of unfinished games. Finish, abandon or delete "
        "some of them first.",
    ),
    "wrong_claim_code": ProblemType(
        403, "Wrong claim code", "The code is not valid for this seat."
    ),
    "not_found": ProblemType(
        404,
        "Not found",
        "The resource does not exist, or the caller may not see it: private games look like this "
        "to everyone who may not read them.",
    ),
    "method_not_allowed": ProblemType(
        405, "Method not allowed", "The Allow header lists the methods that this path supports."
    ),
    "illegal": ProblemType(
        409,
        "Not legal now",
        "The rules forbid the command in the current state. `code` is then the rules' own code, "
        "`rule` the id of the rule; `links.moves` lists the legal commands.",
    ),
    "other_ruleset": ProblemType(
        409,
        "Another game's command",
        "The command belongs to a different ruleset from this game's.",
    ),
    "past_chance": ProblemType(
        409,
        "Chance used up",
        "A step of the position cannot be judged: a draw is due before it, and the given chance is "
        "used up. `index` is the number of the step.",
    ),
    "not_finished": ProblemType(
        409, "Not finished", "The record of a game is available once the game is over."
    ),
    "hooks_full": ProblemType(
        409,
        "Too many webhooks",
        "The game, or the token in this game, has the maximum number of webhooks, or too many "
        "deliveries are waiting to be sent again.",
    ),
    "hook_disabled": ProblemType(
        409, "Webhook disabled", "Nothing is sent to the webhook until it is enabled again."
    ),
    "gone": ProblemType(410, "Gone", "The game existed and was removed."),
    "stale": ProblemType(
        412,
        "Stale version",
        "If-Match does not name the current version. `version` is the current version; the Link "
        "header leads to the events since then.",
    ),
    "too_large": ProblemType(413, "Too large", "The body is larger than the service accepts."),
    "wrong_media_type": ProblemType(415, "Wrong media type", "Bodies must be application/json."),
    "misshapen": ProblemType(
        422,
        "Invalid request",
        "The request does not match its schema. `errors` lists each error with a JSON Pointer; "
        "pointers that begin with `?` name query parameters.",
    ),
    "key_reused": ProblemType(
        422,
        "Idempotency key reused",
        "The Idempotency-Key was already used for a different request. Use a new one.",
    ),
    "too_many": ProblemType(
        429, "Too many requests", "Retry-After is the number of seconds to wait."
    ),
    "too_many_bots": ProblemType(
        429,
        "Too many games of bots",
        "The maximum number of unfinished games between bots only has been reached: for one client "
        "(`scope` is `client`) or in total (`all`); `limit` is that number. No game was created. "
        "Try again when one of those games is over, after the seconds in Retry-After.",
    ),
    "too_many_streams": ProblemType(
        429,
        "Too many streams of one client",
        "The client's address has the maximum number of open event streams and held requests. "
        "Close some of them; all requests held now end within the seconds in Retry-After.",
    ),
    "internal": ProblemType(
        500, "Internal error", "An error in the service. No request is ever carried out partially."
    ),
    "busy": ProblemType(
        503,
        "Busy",
        "Concurrent requests changed the game several times in a row; nothing was written. Try "
        "again.",
    ),
    "streams_full": ProblemType(
        503,
        "Too many streams",
        "The service has the maximum number of open streams and held requests, or is shutting "
        "down. Retry-After is the number of seconds to wait.",
    ),
    "unavailable": ProblemType(
        503, "Unavailable", "The store cannot be reached; nothing was written. Try again."
    ),
    "outcome_unknown": ProblemType(
        503,
        "Outcome unknown",
        "The store did not respond: the request may have been carried out. Repeat it with the same "
        "Idempotency-Key.",
    ),
}

RULE_STATUS: Final[Mapping[str, int]] = {"wrong_claim_code": 403}


class Problem(Exception):
    """Ends a request with a problem response; `code` is a key of `PROBLEM_TYPES`.

    `detail` defaults to the type's explanation; `members` are extension members, `headers` those of
    the response.
    """

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = PROBLEM_TYPES[code].text if detail is None else detail
        self.members = members
        self.headers = dict(headers or {})


def problem_response(problem: Problem) -> Response:
    """Returns the response to a problem."""
    problem_type = PROBLEM_TYPES[problem.code]
    return render_problem(
        problem_type.status,
        f"{PROBLEMS_PATH}#{problem.code}",
        problem_type.title,
        problem.code,
        problem.detail,
        problem.members,
        problem.headers,
    )


def render_problem(
    status: int,
    uri: str,
    title: str,
    code: str,
    detail: str,
    members: Mapping[str, Any],
    headers: Mapping[str, str],
) -> Response:
    """Returns a problem details response, its texts in the request's language."""
    body = {
        "type": uri,
        "title": translations.translate(title),
        "status": status,
        "code": code,
        "detail": translations.translate_detail(detail),
        "instance": request.path[:500],
        "request_id": request.environ.get("bailli.request_id", ""),
        **members,
    }
    response = Response(orjson.dumps(body), status, content_type=MEDIA_TYPE)
    response.headers.update(headers)
    response.headers["Cache-Control"] = "no-store"
    return languages.with_content_language(response)
