"""The one registry of what can go wrong, and how it is told (RFC 9457).

The codes of the law (`RuleViolation`) are the rulesets' own; they are told as 409 with the rule,
save those in `LAW_STATUS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, request

from . import languages

MEDIA_TYPE: Final = "application/problem+json"
DOCS: Final = "/docs/problems"


class ProblemType(NamedTuple):
    """A kind of problem: its status, its title, and what a client should know about it."""

    status: int
    title: str
    text: str


CODES: Final[Mapping[str, ProblemType]] = {
    "bad_request": ProblemType(
        400, "Bad request", "The request is not proper HTTP, or a header can't be read."
    ),
    "malformed_json": ProblemType(400, "Malformed JSON", "The body is not JSON in UTF-8."),
    "token_required": ProblemType(
        401,
        "Token required",
        "This needs a client token, sent as `Authorization: Bearer bl_…`. Clients make their own.",
    ),
    "token_malformed": ProblemType(
        401,
        "Malformed token",
        "The Authorization header holds no client token (bl_…) or watch code (bw_…).",
    ),
    "forbidden": ProblemType(
        403, "Not allowed", "The token gives no right to do this in this game."
    ),
    "too_many_games": ProblemType(
        403,
        "Too many games",
        "The token hosts as many games that are not over as it may. Games that end, are abandoned "
        "or removed make room.",
    ),
    "wrong_claim_code": ProblemType(403, "Wrong claim code", "The code does not open this seat."),
    "not_found": ProblemType(
        404,
        "Not found",
        "There is no such thing, or the caller may not know of it: private games look like this "
        "to those who may not read them.",
    ),
    "method_not_allowed": ProblemType(
        405, "Method not allowed", "The Allow header names the methods that this path has."
    ),
    "illegal": ProblemType(
        409,
        "Not legal now",
        "The rules forbid the command in the present state. `code` is then the rules' own word, "
        "`rule` the rule's id, `links.moves` lists what is legal.",
    ),
    "other_ruleset": ProblemType(
        409, "Another game's command", "The command belongs to another ruleset than this game's."
    ),
    "past_chance": ProblemType(
        409,
        "Past chance",
        "A step of the position can't be judged: a draw is due before it and the chance given "
        "has none left. `index` is the step's number.",
    ),
    "not_finished": ProblemType(
        409, "Not finished", "The record of a game is given out once the game is over."
    ),
    "hooks_full": ProblemType(
        409,
        "Too many webhooks",
        "The game, or the token in it, has as many webhooks as there may be, or too many "
        "deliveries wait to be sent again.",
    ),
    "hook_disabled": ProblemType(
        409, "Webhook disabled", "Nothing is sent to the webhook until it is enabled again."
    ),
    "gone": ProblemType(410, "Gone", "The game was here and was removed."),
    "stale": ProblemType(
        412,
        "Stale version",
        "If-Match does not name the present version. `version` does; the Link header leads to the "
        "events missed.",
    ),
    "too_large": ProblemType(413, "Too large", "The body is longer than the service takes."),
    "wrong_media_type": ProblemType(415, "Wrong media type", "Bodies must be application/json."),
    "misshapen": ProblemType(
        422,
        "Misshapen",
        "The request has not the described form. `errors` lists each fault with a JSON Pointer; "
        "pointers that begin with `?` name query parameters.",
    ),
    "key_reused": ProblemType(
        422, "Key reused", "The Idempotency-Key was used for another request. Take a new one."
    ),
    "too_many": ProblemType(429, "Too many requests", "Retry-After says how many seconds to wait."),
    "too_many_bots": ProblemType(
        429,
        "Too many games of bots",
        "As many games that only bots play are unfinished as may be: for one client (`scope` is "
        "`client`), or in all (`all`); `limit` says how many. Nothing was laid. There is room "
        "again when one of them is over; Retry-After says when to try.",
    ),
    "too_many_streams": ProblemType(
        429,
        "Too many streams of one client",
        "The client's address has as many event streams and held requests open as one client may "
        "have. Close some; Retry-After says in how many seconds all requests held now have ended.",
    ),
    "internal": ProblemType(
        500, "Internal error", "A fault of the service. Nothing half is written."
    ),
    "busy": ProblemType(
        503, "Busy", "Others were faster several times in a row; nothing was written. Ask again."
    ),
    "streams_full": ProblemType(
        503,
        "Too many streams",
        "As many streams and held requests are open as the service takes, or it is about to end. "
        "Retry-After says how many seconds to wait.",
    ),
    "unavailable": ProblemType(
        503, "Unavailable", "The record can't be reached; nothing was written. Ask again."
    ),
    "outcome_unknown": ProblemType(
        503,
        "Outcome unknown",
        "No answer came from the record: it may have been written. Ask again with the same "
        "Idempotency-Key.",
    ),
}

LAW_STATUS: Final[Mapping[str, int]] = {"wrong_claim_code": 403}


class Problem(Exception):
    """A request that is answered with a problem; `code` is one of `CODES`.

    `members` are extension members, `headers` go with the answer.
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
        self.detail = CODES[code].text if detail is None else detail
        self.members = members
        self.headers = dict(headers or {})


def problem_response(problem: Problem) -> Response:
    """Returns the answer that tells a problem."""
    known = CODES[problem.code]
    return render_problem(
        known.status,
        f"{DOCS}#{problem.code}",
        known.title,
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
    """Returns a problem as an answer, its texts in the language asked for."""
    body = {
        "type": uri,
        "title": languages.translate(title),
        "status": status,
        "code": code,
        "detail": languages.translate_detail(detail),
        "instance": request.path[:500],
        "request_id": request.environ.get("bailli.request_id", ""),
        **members,
    }
    answer = Response(orjson.dumps(body), status, content_type=MEDIA_TYPE)
    answer.headers.update(headers)
    answer.headers["Cache-Control"] = "no-store"
    return languages.with_content_language(answer)
