"""OpenAPI operations completed: problem responses, links, examples; the calls of webhooks."""

from __future__ import annotations

import http
from typing import Any, Final

from ..http.problems import MEDIA_TYPE, PROBLEM_TYPES
from ..resources import webhooks
from .examples import EXAMPLES, LINKS

Json = dict[str, Any]

COMMON_HEADERS: Final = {
    "X-Request-Id": {
        "description": "identifies the request in the log",
        "schema": {"type": "string"},
    }
}


def complete_operation(operation: Json) -> None:
    """Adds the responses of all problems that an operation may return, links and examples."""
    name = operation["operationId"]
    codes = operation.pop("x-codes")
    if "requestBody" in operation:
        codes = [*codes, "malformed_json", "too_large", "wrong_media_type"]
        if name in EXAMPLES:
            operation["requestBody"]["content"]["application/json"]["examples"] = EXAMPLES[name]
    if operation["security"] or "not_found" in codes:
        codes = [*codes, "unavailable"]
    if any(
        parameter.get("name") == "Idempotency-Key" for parameter in operation.get("parameters", ())
    ):
        codes = [*codes, "outcome_unknown", "bad_request"]
        if {} in operation["security"]:
            codes = [*codes, "token_required"]
    if operation["security"]:
        codes = [*codes, "too_many"]
    responses = operation["responses"]
    for status, response in responses.items():
        response.setdefault("headers", {}).update(COMMON_HEADERS)
        if (name, str(status)) in LINKS:
            response["links"] = LINKS[name, str(status)]
    by_status: dict[int, list[str]] = {}
    for code in PROBLEM_TYPES:
        if code in codes:
            by_status.setdefault(PROBLEM_TYPES[code].status, []).append(code)
    for status, status_codes in sorted(by_status.items()):
        responses[str(status)] = _problem_response(status, status_codes)
    responses["default"] = _problem_response(500, ["internal"])


def webhook_operation(kind: str) -> Json:
    """Returns the operation of a message type: the request to a receiver and its responses."""
    headers = [
        {"in": "header", "name": name, "required": True, "description": text,
         "schema": {"type": "string"}}
        for name, text in webhooks.MESSAGE_HEADERS.items()
    ]  # fmt: skip
    return {
        "operationId": webhooks.operation_id(kind),
        "summary": webhooks.MESSAGE_TYPES[kind],
        "tags": [webhooks.blp.name],
        "parameters": headers,
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/WebhookMessage"}}
            },
        },
        "responses": {
            "2XX": {"description": "Delivered."},
            "410": {"description": "The webhook is disabled; the receiver is never called again."},
            "default": {
                "description": "Not delivered; the message is sent again later, with the same id."
            },
        },
    }


def _problem_response(status: int, codes: list[str]) -> Json:
    """Returns the response of a status that problems with these codes have."""
    text = "\n".join(f"- `{code}`: {PROBLEM_TYPES[code].text}" for code in codes)
    headers: Json = dict(COMMON_HEADERS)
    if status == 401:
        headers["WWW-Authenticate"] = {
            "description": "the authentication scheme, Bearer",
            "schema": {"type": "string"},
        }
    if status in (429, 503):
        headers["Retry-After"] = {"description": "seconds to wait", "schema": {"type": "string"}}
    if status == 412:
        headers["Link"] = {
            "description": "the events since that version",
            "schema": {"type": "string"},
        }
    return {
        "description": f"{http.HTTPStatus(status).phrase}. `code`:\n\n{text}",
        "headers": headers,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
