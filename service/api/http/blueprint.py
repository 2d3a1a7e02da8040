"""Blueprints whose operations say themselves all that the contract tells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import flask_smorest
from marshmallow import Schema
from werkzeug.routing import BaseConverter, Map

View = TypeVar("View", bound=Callable[..., Any])

ETAG: Final = {
    "description": "the game's version and head hash, quoted; for If-Match and If-None-Match",
    "schema": {"type": "string"},
}
TEXT_ETAG: Final = {
    "description": "the game's version and head hash, and the language where it is not English; "
    "for If-Match",
    "schema": {"type": "string"},
}
LANGUAGE: Final = {
    "description": "the language of the texts: en, fr or pt",
    "schema": {"type": "string"},
}
LANGUAGES: Final = (
    {
        "in": "query",
        "name": "lang",
        "required": False,
        "description": "the language of the texts (en, fr, pt), before Accept-Language; another "
        "one is passed over",
        "schema": {"type": "string"},
        "example": "pt",
    },
    {
        "in": "header",
        "name": "Accept-Language",
        "required": False,
        "description": "the languages wanted for the texts",
        "schema": {"type": "string"},
        "example": "fr, en;q=0.5",
    },
)
LOCATION: Final = {"description": "where it is", "schema": {"type": "string"}}
RETRY_AFTER: Final = {
    "description": "after how many seconds to ask again",
    "schema": {"type": "integer"},
}
LINK: Final = {"description": 'the next page, rel="next"', "schema": {"type": "string"}}
IDEMPOTENT_REPLAYED: Final = {
    "description": "true: the request was carried out before; this is its answer again",
    "schema": {"type": "string", "enum": ["true"]},
}
IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "only if the game is still at this version: an ETag, a list of them, or *",
    "schema": {"type": "string"},
}
IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "required": False,
    "description": "only if the game is no longer at this version; else 304",
    "schema": {"type": "string"},
}
IDEMPOTENCY_KEY: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "description": "a name for this request, new for each: repeated with it, it has one effect",
    "schema": {"type": "string", "pattern": '^("[!#-~]{1,255}"|[!#-~]{1,255})$'},
}
PREFER: Final = {
    "in": "header",
    "name": "Prefer",
    "required": False,
    "description": "wait=20: if there is nothing to tell, answer only when there is, or after so "
    "many seconds (at most 30)",
    "schema": {"type": "string"},
    "example": "wait=20",
}
PREFERENCE_APPLIED: Final = {
    "description": "wait=20: the request was held until there was something to tell, so many "
    "seconds at most",
    "schema": {"type": "string"},
}
SECURITY: Final[Mapping[str | None, list[dict[str, list[str]]]]] = {
    None: [],
    "optional token": [{}, {"token": []}],
    "required token": [{"token": []}],
}


class Blueprint(flask_smorest.Blueprint):
    """A smorest blueprint with one decorator for everything that documents an operation."""

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        """Registers a view; see smorest."""
        decorate: Callable[[View], View] = super().route(rule, **options)
        return decorate

    @staticmethod
    def operation(
        name: str,
        gives: Mapping[int, tuple[str, Any] | str],
        *,
        needs: str | None = None,
        body: Schema | None = None,
        query: Schema | None = None,
        examples: Mapping[str, Any] | None = None,
        parameters: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, Any] | None = None,
        codes: Sequence[str] = (),
        media: str = "application/json",
        stream: str | None = None,
        page: str | None = None,
    ) -> Callable[[View], View]:
        """Documents a view.

        `gives` maps success codes to a description, with the body's schema where there is one;
        `needs` is None, "optional token" or "required token"; `codes` are the
        problems that may be answered; `stream` describes the event stream that 200 may be as well,
        `page` the page for people.
        """

        def decorate(view: View) -> View:
            taken: list[dict[str, Any]] = [dict(parameter) for parameter in parameters]
            if query is not None:
                taken.append({"in": "query", "schema": query})
            if body is not None:
                part: dict[str, Any] = {"in": "json", "required": True, "schema": body}
                if examples:
                    part["examples"] = {key: {"value": value} for key, value in examples.items()}
                taken.append(part)
            responses: dict[int, list[dict[str, Any]]] = {}
            for status, given in gives.items():
                text, schema = (given, None) if isinstance(given, str) else given
                answer: dict[str, Any] = {"description": text, "content_type": media}
                if schema is not None:
                    answer["schema"] = schema
                if headers and status not in (204, 304):
                    answer["headers"] = dict(headers)
                responses[status] = [answer]
            for other, told in (("text/event-stream", stream), ("text/html", page)):
                if told is not None:
                    answer = {"description": responses[200][0]["description"]}
                    answer["schema"] = {"type": "string", "description": told}
                    responses[200].append({**answer, "content_type": other})
            view._apidoc = {  # type: ignore[attr-defined]
                "arguments": {"parameters": taken} if taken else {},
                "response": {"responses": responses},
                "manual_doc": {
                    "operationId": name,
                    "security": SECURITY[needs],
                    "x-codes": [
                        *codes,
                        *(["token_malformed"] if needs else []),
                        *(["token_required"] if needs == "required token" else []),
                    ],
                },
            }
            return view

        return decorate


class GameIdConverter(BaseConverter):
    """A game's id in a path; anything else is no such path."""

    regex = r"[a-z2-7]{26}"

    def __init__(self, map: Map) -> None:
        super().__init__(map)


class SeatNumberConverter(BaseConverter):
    """A seat's number in a path."""

    regex = r"[0-7]"

    def to_python(self, value: str) -> int:
        return int(value)


class WebhookIdConverter(BaseConverter):
    """A webhook's id in a path."""

    regex = r"[a-z2-7]{16}"


class DeliveryNumberConverter(BaseConverter):
    """The number of a delivery in a path."""

    regex = r"[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        return int(value)


class RulesetIdConverter(BaseConverter):
    """A ruleset's id in a path."""

    regex = r"[a-z_]{1,64}"
