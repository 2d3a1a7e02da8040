"""The contract: registered from the resources, completed here, written as YAML.

`bailli openapi > openapi.yaml` writes the file that is kept beside the code.
"""

from __future__ import annotations

import functools
import http
from collections.abc import Mapping
from typing import Any, Final

import flask_smorest
import yaml
from flask import Flask

from schemas import json_schema, responses

from ...games.table import events as table_events
from ...games.table.commands import COMMANDS
from ...rules.plain import Event
from ...rules.ruleset import AnyRuleset, rulesets
from ..http.blueprint import (
    DeliveryNumberConverter,
    GameIdConverter,
    RulesetIdConverter,
    SeatNumberConverter,
    WebhookIdConverter,
)
from ..http.problems import CODES, MEDIA_TYPE
from ..resources import (
    analyses,
    commands,
    events,
    forks,
    games,
    health,
    moves,
    pictures,
    records,
    score,
    seats,
    tokens,
    tournaments,
    turns,
    webhooks,
)
from ..resources import rulesets as rulesets_api
from .examples import EXAMPLES, LINKS

Json = dict[str, Any]

TITLE: Final = "Bailli"
OPENAPI: Final = "3.1.0"
DESCRIPTION: Final = """\
A referee for board games: it knows the rules, keeps the record, tells what a seat may do, and
plays the empty seats.

A game in five requests: lay a table (`createGame`), take a seat with its claim code
(`claimSeat`), ask what is legal (`listMoves`), send one of the moves as it stands
(`sendCommands`), read what happened (`listEvents`).

A client makes its own token, `bl_` and 43 base64url characters from 256 random bits, and sends it
as `Authorization: Bearer`; without one the service makes one when a table is laid or a seat is
claimed and shows it once. Every change may carry an `Idempotency-Key` (repeat it until an answer
comes: it has one effect) and `If-Match` with the ETag of the version that it is meant for.

Every error is `application/problem+json` with a stable `code`; what the rules forbid is 409 with
the id of the rule. Times are milliseconds since 1970. Texts for people follow `Accept-Language`
(en, fr, pt), or `?lang=` on any request; codes and ids never change.
"""
RESOURCES: Final = (
    health,
    rulesets_api,
    games,
    pictures,
    seats,
    moves,
    commands,
    events,
    turns,
    webhooks,
    score,
    records,
    forks,
    analyses,
    tournaments,
)
COMMON: Final = {
    "X-Request-Id": {"description": "names the request in the log", "schema": {"type": "string"}}
}


def register_resources(app: Flask) -> None:
    """Registers all resources with the application and documents them."""
    app.config.update(
        API_TITLE=TITLE,
        API_VERSION="v1",
        OPENAPI_VERSION=OPENAPI,
        PROPAGATE_EXCEPTIONS=False,
    )
    app.url_map.converters.update(
        game_id=GameIdConverter,
        seat_number=SeatNumberConverter,
        ruleset_id=RulesetIdConverter,
        hook_id=WebhookIdConverter,
        delivery_number=DeliveryNumberConverter,
    )
    app.url_map.strict_slashes = True
    api = _Api(
        app,
        spec_kwargs={
            "marshmallow_plugin": json_schema.Plugin(schema_name_resolver=_schema_name),
            "info": {
                "description": DESCRIPTION,
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": "/", "description": "this service"}],
        },
    )
    api.register_converter(
        GameIdConverter, lambda _: {"type": "string", "pattern": responses.GAME_ID_PATTERN}
    )
    api.register_converter(
        SeatNumberConverter, lambda _: {"type": "integer", "minimum": 0, "maximum": 7}
    )
    api.register_converter(
        WebhookIdConverter, lambda _: {"type": "string", "pattern": responses.WEBHOOK_ID_PATTERN}
    )
    api.register_converter(
        DeliveryNumberConverter, lambda _: {"type": "integer", "minimum": 1, "maximum": 999_999_999}
    )
    api.register_converter(
        RulesetIdConverter, lambda _: {"type": "string", "enum": list(rulesets())}
    )
    _describe(api.spec)
    for module in (*RESOURCES, tokens):
        prefix = None if module is health else "/v1"
        api.register_blueprint(module.blp, url_prefix=prefix)
    app.extensions["bailli-contract"] = functools.partial(_complete_operations, api.spec)


class _Api(flask_smorest.Api):
    """Smorest without its own error answers: ours are problems."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        return


def build_contract(app: Flask) -> Json:
    """Returns the contract of an application."""
    found: Json = app.extensions["bailli-contract"]()
    return found


def contract_yaml(app: Flask) -> str:
    """Returns the contract as YAML, the same bytes wherever it is written."""
    written: str = yaml.dump(
        build_contract(app), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return written


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _schema_name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    name: str = cls.__name__
    return name


def _describe(spec: Any) -> None:
    """Registers what follows from the rulesets' descriptions: options, commands, events."""
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "a client token (bl_…), or for reading alone a watch code (bw_…)",
        },
    )
    add = spec.components.schema
    table = {name: json_schema.component_name("table", name) for name in COMMANDS}
    for name, command in COMMANDS.items():
        add(table[name], json_schema.class_schema(command, name))
    add("TableCommand", json_schema.one_of(table))
    families = ["TableCommand"]
    for ruleset in rulesets().values():
        families.append(_describe_commands(spec, ruleset))
        options = json_schema.class_schema(ruleset.options)
        add(json_schema.component_name(ruleset.id, "options"), options)
    add("Command", {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in families]})
    told = [_describe_events(spec, "table", table_events.EVENTS)]
    told += [_describe_events(spec, each.id, each.events) for each in rulesets().values()]
    add("Event", {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in told]})
    spec.components.schema("Replaced", schema=responses.Replaced)
    spec.components.schema("Problem", schema=responses.Problem)
    spec.components.schema("WebhookMessage", schema=responses.WebhookMessage)


def _describe_commands(spec: Any, ruleset: AnyRuleset) -> str:
    names = {name: json_schema.component_name(ruleset.id, name) for name in ruleset.commands}
    for name, command in ruleset.commands.items():
        spec.components.schema(names[name], json_schema.class_schema(command, name))
    family = json_schema.component_name(ruleset.id, "command")
    spec.components.schema(family, json_schema.one_of(names))
    return family


def _describe_events(spec: Any, owner: str, found: Mapping[str, type[Event]]) -> str:
    names = {name: json_schema.component_name(owner, name, "event") for name in found}
    for name, event in found.items():
        sealed = getattr(event, "sealed", ())
        spec.components.schema(
            names[name],
            {
                "type": "object",
                "description": json_schema.summary(event),
                "properties": {
                    "version": {"type": "integer", "minimum": 1},
                    "at": {"type": "integer", "description": "ms since 1970"},
                    "type": {"type": "string", "enum": [name]},
                    "data": json_schema.class_schema(event, sealed=sealed),
                    "replaced": {"$ref": "#/components/schemas/Replaced"},
                },
                "required": ["version", "at", "type", "data"],
                "additionalProperties": False,
            },
        )
    family = json_schema.component_name(owner, "event")
    spec.components.schema(family, json_schema.one_of(names))
    return family


def _complete_operations(spec: Any) -> Json:
    """Adds to every operation the problems it may answer, links and examples."""
    found: Json = spec.to_dict()
    document = {"openapi": found.pop("openapi"), **found}
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "operationId" in operation:
                _complete_operation(operation)
    document["webhooks"] = {kind: {"post": _webhook_operation(kind)} for kind in webhooks.MEANINGS}
    document["tags"] = [
        {"name": module.blp.name, "description": module.blp.description}
        for module in (*RESOURCES, tokens)
    ]
    return document


def _complete_operation(operation: Json) -> None:
    name = operation["operationId"]
    codes = operation.pop("x-codes")
    if "requestBody" in operation:
        codes = [*codes, "malformed_json", "too_large", "wrong_media_type"]
        if name in EXAMPLES:
            operation["requestBody"]["content"]["application/json"]["examples"] = EXAMPLES[name]
    if operation["security"] or "not_found" in codes:
        codes = [*codes, "unavailable"]
    if any(each.get("name") == "Idempotency-Key" for each in operation.get("parameters", ())):
        codes = [*codes, "outcome_unknown", "bad_request"]
        if {} in operation["security"]:
            codes = [*codes, "token_required"]
    if operation["security"]:
        codes = [*codes, "too_many"]
    answers = operation["responses"]
    for status, given in answers.items():
        given.setdefault("headers", {}).update(COMMON)
        if (name, str(status)) in LINKS:
            given["links"] = LINKS[name, str(status)]
    by_status: dict[int, list[str]] = {}
    for code in CODES:
        if code in codes:
            by_status.setdefault(CODES[code].status, []).append(code)
    for status, found in sorted(by_status.items()):
        answers[str(status)] = _problem(status, found)
    answers["default"] = _problem(500, ["internal"])


def _webhook_operation(kind: str) -> Json:
    """Returns what a receiver of webhooks is sent, and what it may answer."""
    headers = [
        {"in": "header", "name": name, "required": True, "description": text,
         "schema": {"type": "string"}}
        for name, text in webhooks.HEADERS.items()
    ]  # fmt: skip
    return {
        "operationId": webhooks.operation_id(kind),
        "summary": webhooks.MEANINGS[kind],
        "tags": [webhooks.blp.name],
        "parameters": headers,
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/WebhookMessage"}}
            },
        },
        "responses": {
            "2XX": {"description": "Taken."},
            "410": {"description": "Never call again: the webhook is disabled."},
            "default": {"description": "Not taken; it is sent again later, under the same id."},
        },
    }


def _problem(status: int, codes: list[str]) -> Json:
    text = "\n".join(f"- `{code}`: {CODES[code].text}" for code in codes)
    headers: Json = dict(COMMON)
    if status == 401:
        headers["WWW-Authenticate"] = {"description": "Bearer", "schema": {"type": "string"}}
    if status in (429, 503):
        headers["Retry-After"] = {"description": "seconds", "schema": {"type": "string"}}
    if status == 412:
        headers["Link"] = {"description": "the events missed", "schema": {"type": "string"}}
    return {
        "description": f"{_phrase(status)}. `code`:\n\n{text}",
        "headers": headers,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _phrase(status: int) -> str:
    return http.HTTPStatus(status).phrase
