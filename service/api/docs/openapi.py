"""OpenAPI assembly: registers the resources and builds the contract (openapi.yaml).

`bailli openapi > openapi.yaml` writes the file that is kept beside the code.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import flask_smorest
import yaml
from flask import Flask

from schemas import json_schema, responses

from ...rules.ruleset import rulesets
from ..http.path_converters import (
    CONVERTERS,
    DeliveryNumberConverter,
    GameIdConverter,
    RulesetIdConverter,
    SeatNumberConverter,
    WebhookIdConverter,
)
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
from ..resources import rulesets as rulesets_resource
from .components import register_components
from .operations import complete_operation, webhook_operation

Json = dict[str, Any]

TITLE: Final = "Bailli"
OPENAPI: Final = "3.1.0"
EXTENSION: Final = "bailli-contract"
DESCRIPTION: Final = """\
A referee for board games: it knows the rules, keeps the record, lists what each seat may do, and
plays the empty seats.

A game in five requests: create a game (`createGame`), claim a seat with its claim code
(`claimSeat`), list the legal moves (`listMoves`), send one of them unchanged (`sendCommands`), and
read the events (`listEvents`).

A client generates its own token, `bl_` followed by 43 base64url characters that encode 256 random
bits, and sends it as `Authorization: Bearer`. If a client without a token creates a game or claims
a seat, the service generates one and returns it once. Every change may carry an `Idempotency-Key`
(repeat the request with its key until it succeeds: it takes effect once) and `If-Match` with the
ETag of the version that the change is based on.

Every error is `application/problem+json` with a stable `code`; a command that the rules forbid is
refused with 409 and the id of the rule. Times are milliseconds since 1970. Texts for people follow
`Accept-Language` (en, fr, pt), or `?lang=` on any request; codes and ids never change.
"""
RESOURCES: Final = (
    health,
    rulesets_resource,
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
    tokens,
)


def register_resources(app: Flask) -> None:
    """Registers all resources with an application and documents them."""
    app.config.update(
        API_TITLE=TITLE,
        API_VERSION="v1",
        OPENAPI_VERSION=OPENAPI,
        PROPAGATE_EXCEPTIONS=False,
    )
    app.url_map.converters.update(CONVERTERS)
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
    register_components(api.spec)
    for resource in RESOURCES:
        prefix = None if resource is health else "/v1"
        api.register_blueprint(resource.blp, url_prefix=prefix)
    app.extensions[EXTENSION] = functools.partial(_complete_document, api.spec)


class _Api(flask_smorest.Api):
    """Smorest's API without its own error responses; `error_handlers` returns problems instead."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        return


def build_contract(app: Flask) -> Json:
    """Returns the OpenAPI document of an application."""
    document: Json = app.extensions[EXTENSION]()
    return document


def contract_yaml(app: Flask) -> str:
    """Returns the OpenAPI document as YAML; the same code always gives the same bytes."""
    text: str = yaml.dump(
        build_contract(app), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return text


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _schema_name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    name: str = cls.__name__
    return name


def _complete_document(spec: Any) -> Json:
    """Returns the whole document: every operation completed, webhooks and tags added."""
    registered: Json = spec.to_dict()
    document = {"openapi": registered.pop("openapi"), **registered}
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "operationId" in operation:
                complete_operation(operation)
    document["webhooks"] = {
        kind: {"post": webhook_operation(kind)} for kind in webhooks.MESSAGE_TYPES
    }
    document["tags"] = [
        {"name": resource.blp.name, "description": resource.blp.description}
        for resource in RESOURCES
    ]
    return document
