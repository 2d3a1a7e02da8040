"""What can be played, and the stateless judge."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import orjson
from flask import Response, request

from schemas import json_schema, responses
from schemas.requests import positions as positions_requests

from ...games.legal_moves import Move
from ...games.table import rule_book as table_rule_book
from ...games.table.commands import COMMANDS
from ...levels import levels
from ...rules.chance import ArrangedChance, Chance, NoChance, SealedChance, Stopped
from ...rules.plain import Command, Component, Misshapen
from ...rules.ruleset import AnyRuleset, Rule, RuleViolation, advance, rulesets, run
from .. import representations
from ..http import blueprint, languages, request_parsing
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services

blp = Blueprint("rulesets", __name__, description="What can be played, and how.")

Json = dict[str, Any]


@blp.route("/rulesets", methods=["GET"])
@blp.operation("listRulesets", {200: ("All games that can be played.", responses.Rulesets)})
def list_rulesets() -> Response:
    """List what can be played"""
    return json_response({"rulesets": [_summary(ruleset) for ruleset in rulesets().values()]})


@blp.route("/rulesets/<ruleset_id:ruleset>", methods=["GET"])
@blp.operation(
    "getRuleset",
    {
        200: ("The game: options, commands, components, rules.", responses.RulesetDescription),
        304: "Nothing has changed.",
    },
    parameters=[blueprint.IF_NONE_MATCH, *blueprint.LANGUAGES],
    headers={
        "ETag": {"description": "of this text", "schema": {"type": "string"}},
        "Content-Language": blueprint.LANGUAGE,
    },
    codes=["not_found"],
)
def get_ruleset(ruleset: str) -> Response:
    """Read a game's description

    Its options and commands as JSON Schema, its components with their names, its rule book.
    """
    written, tag = _description(_find_ruleset(ruleset).id, languages.request_language())
    if tag in (request.headers.get("If-None-Match") or ""):
        response = http_responses.empty_response(304)
    else:
        response = json_response(written)
    response.headers["ETag"] = tag
    return languages.with_content_language(response)


@blp.route("/rulesets/<ruleset_id:ruleset>/positions", methods=["POST"])
@blp.operation(
    "judgePosition",
    {200: ("What the position is, and what is legal in it.", responses.JudgedPosition)},
    body=positions_requests.Position(None),
    parameters=blueprint.LANGUAGES,
    headers={"Content-Language": blueprint.LANGUAGE},
    codes=["not_found", "misshapen", "illegal", "past_chance", "too_many"],
)
def judge_position(ruleset: str) -> Response:
    """Judge a position

    Plays the steps from the start and tells what has come of them; stores nothing. The first
    step that the rules forbid is refused with its `index` and rule. Draws take their outcomes
    from `chance`: a list, or a seed (with an empty chance id and no entropies). Where a draw is
    due and none is given, `stopped` is "chance" and `due` tells what may come.
    """
    law = _find_ruleset(ruleset)
    services().limits.check("judge")
    asked = request_parsing.load_body(
        positions_requests.position_schema(law.id), request_parsing.json_body()
    )
    chance = _chance(asked["chance"])
    try:
        state, stopped = _replay_position(law, asked, chance)
    except Misshapen as fault:
        if fault.pointer.removeprefix("/").isdigit():
            raise Misshapen(f"/chance/outcomes{fault.pointer}", fault.detail) from None
        raise
    to_act = law.to_act(state) if stopped is None else ()
    moves = [Move(seat, command) for seat in to_act for command in law.legal(state, seat)]
    response = json_response(
        {
            "board": law.view(state),
            "to_act": list(to_act),
            "moves": representations.serialize_moves(moves, law),
            "score": law.score(state).plain(),
            "over": law.over(state),
            "draws": len(chance.draws),
            "stopped": None if stopped is None else "chance",
            "due": None if stopped is None else _draw_due(stopped),
        }
    )
    return languages.with_content_language(response)


def _replay_position(law: AnyRuleset, asked: Json, chance: Chance) -> tuple[Any, Stopped | None]:
    """Returns the state after all steps and the draw that is due, if one is."""
    state = law.initial(asked["seats"], asked["options"])
    stopped = advance(law, state, chance).stopped
    for index, (seat, command) in enumerate(asked["steps"]):
        if seat >= asked["seats"]:
            raise Misshapen(f"/steps/{index}/0", "is no seat of this table")
        if stopped is not None:
            raise Problem("past_chance", index=index)
        try:
            stopped = run(law, state, seat, command, chance).stopped
        except RuleViolation as refusal:
            refusal.facts["index"] = index
            raise
    return state, stopped


def _chance(asked: Json | None) -> Chance:
    if asked is None:
        return NoChance()
    if "seed" in asked:
        return SealedChance(bytes.fromhex(asked["seed"]), "")
    return ArrangedChance(asked["outcomes"])


def _draw_due(stopped: Stopped) -> Json:
    return {
        "bound": stopped.bound,
        "ids": list(stopped.ids),
        "counts": list(stopped.counts),
    }


def _find_ruleset(ruleset: str) -> AnyRuleset:
    found = rulesets().get(ruleset)
    if found is None:
        raise Problem("not_found")
    return found


def _summary(ruleset: AnyRuleset) -> Json:
    base = f"/v1/rulesets/{ruleset.id}"
    return {
        "id": ruleset.id,
        "title": ruleset.title,
        "version": ruleset.version,
        "seats": list(ruleset.seats),
        "links": {
            "self": base,
            "positions": f"{base}/positions",
            "rules": _describe_rules(ruleset.id),
        },
    }


def _describe_rules(book: str) -> str:
    return f"/docs/rules/{book}"


@functools.lru_cache(maxsize=64)
def _description(ruleset_id: str, language: str) -> tuple[bytes, str]:
    """Returns a ruleset's description and its entity tag; texts are in the request's language."""
    ruleset = rulesets()[ruleset_id]
    written = orjson.dumps(
        {
            **_summary(ruleset),
            "options": _translated_schema(json_schema.class_schema(ruleset.options)),
            "commands": [_describe_command(command) for command in ruleset.commands.values()],
            "table_commands": [_describe_command(command) for command in COMMANDS.values()],
            "components": [_describe_component(component) for component in ruleset.components],
            "levels": [level.told(ruleset.id) for level in levels().values()],
            "rules": [_describe_rule(rule) for rule in ruleset.rules],
            "table_rules": [_describe_rule(rule) for rule in table_rule_book.RULES],
        }
    )
    return written, f'"{hashlib.sha256(written).hexdigest()[:16]}"'


def _describe_command(command: type[Command]) -> Json:
    return {
        "type": command.type,
        "rule": command.rule,
        "text": languages.translate(command.text),
        "schema": _translated_schema(json_schema.class_schema(command, command.type)),
    }


def _translated_schema(schema: Json) -> Json:
    """Returns a schema with its descriptions in the request's language."""
    told: Json = {}
    for key, value in schema.items():
        if key == "description" and isinstance(value, str):
            told[key] = languages.translate(value)
        elif isinstance(value, list):
            told[key] = [
                _translated_schema(each) if isinstance(each, dict) else each for each in value
            ]
        else:
            told[key] = _translated_schema(value) if isinstance(value, dict) else value
    return told


def _describe_component(component: Component) -> Json:
    return {
        "kind": component.kind,
        "id": component.id,
        "names": dict(component.names),
        "facts": dict(component.facts),
    }


def _describe_rule(rule: Rule) -> Json:
    return {"id": rule.id, "text": languages.translate(rule.text)}
