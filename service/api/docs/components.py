"""OpenAPI components derived from the rulesets: schemas of options, commands and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas import json_schema, responses

from ...games.table import events as table_events
from ...games.table.commands import COMMANDS
from ...rules.described import Event
from ...rules.ruleset import AnyRuleset, rulesets


def register_components(spec: Any) -> None:
    """Adds the security scheme and all component schemas that no operation names to a spec."""
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "a client token (bl_…) or, for read access only, a watch code (bw_…)",
        },
    )
    add = spec.components.schema
    table = {name: json_schema.component_name("table", name) for name in COMMANDS}
    for name, command in COMMANDS.items():
        add(table[name], json_schema.class_schema(command, name))
    add("TableCommand", json_schema.one_of(table))
    commands = ["TableCommand"]
    for ruleset in rulesets().values():
        commands.append(_register_commands(spec, ruleset))
        options = json_schema.class_schema(ruleset.options)
        add(json_schema.component_name(ruleset.id, "options"), options)
    add("Command", {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in commands]})
    events = [_register_events(spec, "table", table_events.EVENTS)]
    events += [_register_events(spec, each.id, each.events) for each in rulesets().values()]
    add("Event", {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in events]})
    spec.components.schema("Replaced", schema=responses.Replaced)
    spec.components.schema("Problem", schema=responses.Problem)
    spec.components.schema("WebhookMessage", schema=responses.WebhookMessage)


def _register_commands(spec: Any, ruleset: AnyRuleset) -> str:
    """Adds a ruleset's commands; returns the name of the component that is any one of them."""
    names = {name: json_schema.component_name(ruleset.id, name) for name in ruleset.commands}
    for name, command in ruleset.commands.items():
        spec.components.schema(names[name], json_schema.class_schema(command, name))
    family = json_schema.component_name(ruleset.id, "command")
    spec.components.schema(family, json_schema.one_of(names))
    return family


def _register_events(spec: Any, owner: str, events: Mapping[str, type[Event]]) -> str:
    """Adds the events of a ruleset or the table; returns the name of the component that is any."""
    names = {name: json_schema.component_name(owner, name, "event") for name in events}
    for name, event in events.items():
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
