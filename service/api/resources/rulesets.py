"""Rulesets: their descriptions, and the judging of positions."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import orjson
from flask import Response, request

from schemas import json_schema, responses
from schemas.requests import positions as positions_requests

from ...bot_levels import levels
from ...games.legal_moves import Move
from ...games.table import rule_book as table_rule_book
from ...games.table.commands import COMMANDS
from ...rules.chance import ArrangedChance, Chance, NoChance, SealedChance, Stopped
from ...rules.described import Command, Component
from ...rules.plain import Misshapen
from ...rules.ruleset import AnyRuleset, Rule, RuleViolation, advance, rulesets, run
from .. import representations
from ..http import (
    documented_headers,
    languages,
    request_parsing,
    translations,
)
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint(
    "rulesets", __name__, description="Rulesets: games that can be played, and their rules."
)

Json = dict[str, Any]


@blp.route("/rulesets", methods=["GET"])
@blp.operation("listRulesets", {200: ("All rulesets.", responses.Rulesets)})
def list_rulesets() -> Response:
    """List the rulesets"""
    return json_response(
        {"rulesets": [_serialize_summary(ruleset) for ruleset in rulesets().values()]}
    )


@blp.route("/rulesets/<ruleset_id:ruleset>", methods=["GET"])
@blp.operation(
    "getRuleset",
    {
        200: ("The ruleset: options, commands, components, rules.", responses.RulesetDescription),
        304: "The description has not changed.",
    },
    parameters=[documented_headers.IF_NONE_MATCH, *documented_headers.LANGUAGES],
    headers={
        "ETag": {"description": "the entity tag of this description", "schema": {"type": "string"}},
        "Content-Language": documented_headers.LANGUAGE,
    },
    codes=["not_found"],
)
def get_ruleset(ruleset: str) -> Response:
    """Return a ruleset

    Its options and commands as JSON Schema, its components with their names, its rule book.
    """
    content, tag = _serialize_ruleset(_find_ruleset(ruleset).id, languages.request_language())
    if tag in (request.headers.get("If-None-Match") or ""):
        response = http_responses.empty_response(304)
    else:
        response = json_response(content)
    response.headers["ETag"] = tag
    return languages.with_content_language(response)


@blp.route("/rulesets/<ruleset_id:ruleset>/positions", methods=["POST"])
@blp.operation(
    "judgePosition",
    {200: ("The position, and what is legal in it.", responses.JudgedPosition)},
    body=positions_requests.Position(None),
    parameters=documented_headers.LANGUAGES,
    headers={"Content-Language": documented_headers.LANGUAGE},
    codes=["not_found", "misshapen", "illegal", "past_chance", "too_many"],
)
def judge_position(ruleset: str) -> Response:
    """Judge a position

    Plays the steps from the start and returns the resulting position; stores nothing. The first
    step that the rules forbid is refused with its `index` and rule. Draws take their outcomes from
    `chance`: a list, or a seed (with an empty chance id and no entropies). Where a draw is due and
    no outcome is given, `stopped` is "chance" and `due` describes the draw.
    """
    law = _find_ruleset(ruleset)
    services().rate_limiter.check("judge")
    position = request_parsing.load_body(
        positions_requests.position_schema(law.id), request_parsing.json_body()
    )
    chance = _parse_chance(position["chance"])
    try:
        state, stopped = _replay_position(law, position, chance)
    except Misshapen as error:
        if error.pointer.removeprefix("/").isdigit():
            raise Misshapen(f"/chance/outcomes{error.pointer}", error.detail) from None
        raise
    to_act = law.to_act(state) if stopped is None else ()
    seats = range(position["seats"]) if stopped is None else ()
    moves = [Move(seat, command) for seat in seats for command in law.legal(state, seat)]
    response = json_response(
        {
            "board": law.view(state),
            "to_act": list(to_act),
            "moves": representations.serialize_moves(moves, law, state),
            "score": law.score(state).plain(),
            "over": law.over(state),
            "draws": len(chance.draws),
            "stopped": None if stopped is None else "chance",
            "due": None if stopped is None else _serialize_draw(stopped),
        }
    )
    return languages.with_content_language(response)


def _replay_position(law: AnyRuleset, position: Json, chance: Chance) -> tuple[Any, Stopped | None]:
    """Returns the state after all steps, and the draw that is due, if any."""
    state = law.initial(position["seats"], position["options"])
    stopped = advance(law, state, chance).stopped
    for index, (seat, command) in enumerate(position["steps"]):
        if seat >= position["seats"]:
            raise Misshapen(f"/steps/{index}/0", "must be a seat of this table")
        if stopped is not None:
            raise Problem("past_chance", index=index)
        try:
            stopped = run(law, state, seat, command, chance).stopped
        except RuleViolation as refusal:
            refusal.facts["index"] = index
            raise
    return state, stopped


def _parse_chance(fields: Json | None) -> Chance:
    if fields is None:
        return NoChance()
    if "seed" in fields:
        return SealedChance(bytes.fromhex(fields["seed"]), "")
    return ArrangedChance(fields["outcomes"])


def _serialize_draw(stopped: Stopped) -> Json:
    return {
        "bound": stopped.bound,
        "ids": list(stopped.ids),
        "counts": list(stopped.counts),
    }


def _find_ruleset(ruleset_id: str) -> AnyRuleset:
    law = rulesets().get(ruleset_id)
    if law is None:
        raise Problem("not_found")
    return law


def _serialize_summary(ruleset: AnyRuleset) -> Json:
    base = f"/v1/rulesets/{ruleset.id}"
    return {
        "id": ruleset.id,
        "title": ruleset.title,
        "version": ruleset.version,
        "seats": list(ruleset.seats),
        "links": {
            "self": base,
            "positions": f"{base}/positions",
            "rules": _rules_path(ruleset.id),
        },
    }


def _rules_path(rule_book: str) -> str:
    return f"/docs/rules/{rule_book}"


@functools.lru_cache(maxsize=64)
def _serialize_ruleset(ruleset_id: str, language: str) -> tuple[bytes, str]:
    """Returns a ruleset's description as JSON and its entity tag; `language` is the request's."""
    ruleset = rulesets()[ruleset_id]
    content = orjson.dumps(
        {
            **_serialize_summary(ruleset),
            "options": _translate_schema(json_schema.class_schema(ruleset.options)),
            "commands": [_serialize_command(command) for command in ruleset.commands.values()],
            "table_commands": [_serialize_command(command) for command in COMMANDS.values()],
            "components": [_serialize_component(component) for component in ruleset.components],
            "levels": [level.describe(ruleset.id) for level in levels().values()],
            "rules": [_serialize_rule(rule) for rule in ruleset.rules],
            "table_rules": [_serialize_rule(rule) for rule in table_rule_book.RULES],
        }
    )
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _serialize_command(command: type[Command]) -> Json:
    return {
        "type": command.type,
        "rule": command.rule,
        "text": translations.translate(command.text),
        "schema": _translate_schema(json_schema.class_schema(command, command.type)),
    }


def _translate_schema(schema: Json) -> Json:
    """Returns a schema with its descriptions in the request's language."""
    translated: Json = {}
    for key, value in schema.items():
        if key == "description" and isinstance(value, str):
            translated[key] = translations.translate(value)
        elif isinstance(value, list):
            translated[key] = [
                _translate_schema(each) if isinstance(each, dict) else each for each in value
            ]
        else:
            translated[key] = _translate_schema(value) if isinstance(value, dict) else value
    return translated


def _serialize_component(component: Component) -> Json:
    return {
        "kind": component.kind,
        "id": component.id,
        "names": dict(component.names),
        "facts": dict(component.facts),
    }


def _serialize_rule(rule: Rule) -> Json:
    return {"id": rule.id, "text": translations.translate(rule.text)}
