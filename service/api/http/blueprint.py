"""Blueprint: routes of a resource, each with its OpenAPI operation in one decorator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import flask_smorest
from marshmallow import Schema

View = TypeVar("View", bound=Callable[..., Any])

SECURITY: Final[Mapping[str | None, list[dict[str, list[str]]]]] = {
    None: [],
    "optional token": [{}, {"token": []}],
    "required token": [{"token": []}],
}


class Blueprint(flask_smorest.Blueprint):
    """A smorest blueprint whose `operation` decorator documents a view completely."""

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        """Registers a view; see smorest."""
        decorate: Callable[[View], View] = super().route(rule, **options)
        return decorate

    @staticmethod
    def operation(
        operation_id: str,
        responses: Mapping[int, tuple[str, Any] | str],
        *,
        security: str | None = None,
        body: Schema | None = None,
        query: Schema | None = None,
        examples: Mapping[str, Any] | None = None,
        parameters: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, Any] | None = None,
        codes: Sequence[str] = (),
        media_type: str = "application/json",
        event_stream: str | None = None,
        page: str | None = None,
    ) -> Callable[[View], View]:
        """Returns a decorator that attaches the OpenAPI operation to a view.

        `responses` maps success codes to a description, with the body's schema where there is one;
        `security` is None, "optional token" or "required token"; `codes` are the problems that may
        be returned; `event_stream` describes the event stream that 200 may be as well, `page` the
        HTML page.
        """

        def decorate(view: View) -> View:
            documented: list[dict[str, Any]] = [dict(parameter) for parameter in parameters]
            if query is not None:
                documented.append({"in": "query", "schema": query})
            if body is not None:
                request_body: dict[str, Any] = {"in": "json", "required": True, "schema": body}
                if examples:
                    request_body["examples"] = {
                        key: {"value": value} for key, value in examples.items()
                    }
                documented.append(request_body)
            by_status: dict[int, list[dict[str, Any]]] = {}
            for status, described in responses.items():
                text, schema = (described, None) if isinstance(described, str) else described
                response: dict[str, Any] = {"description": text, "content_type": media_type}
                if schema is not None:
                    response["schema"] = schema
                if headers and status not in (204, 304):
                    response["headers"] = dict(headers)
                by_status[status] = [response]
            for content_type, meaning in (
                ("text/event-stream", event_stream),
                ("text/html", page),
            ):
                if meaning is not None:
                    response = {"description": by_status[200][0]["description"]}
                    response["schema"] = {"type": "string", "description": meaning}
                    by_status[200].append({**response, "content_type": content_type})
            view._apidoc = {  # type: ignore[attr-defined]
                "arguments": {"parameters": documented} if documented else {},
                "response": {"responses": by_status},
                "manual_doc": {
                    "operationId": operation_id,
                    "security": SECURITY[security],
                    "x-codes": [
                        *codes,
                        *(["token_malformed"] if security else []),
                        *(["token_required"] if security == "required token" else []),
                    ],
                },
            }
            return view

        return decorate
