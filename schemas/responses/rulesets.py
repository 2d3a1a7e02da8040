"""Rulesets: options, commands, components, rules, levels of bots."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.bot_levels import LEVELS, METHODS
from service.rules.kinds import Maybe, OneOf, Text, Whole

from .fields import VERSION, described_field, list_field, raw_field


class RulesetSummary(Schema):
    """A ruleset in a list."""

    id = described_field(Text(64), "the ruleset's id")
    title = described_field(Text(200), "the game's name")
    version = described_field(VERSION, "the version of the rules")
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "seat counts"})
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Rulesets(Schema):
    """All rulesets."""

    rulesets = list_field(RulesetSummary, "by id")


class RuleText(Schema):
    """A rule."""

    id = described_field(Text(16), "the rule's id, as in problems")
    text = described_field(Text(20_000), "the text of the rule, Markdown")


class CommandText(Schema):
    """A command's description."""

    type = described_field(Text(64), "the command's name")
    rule = described_field(Text(16), "the rule that allows it")
    text = described_field(
        Text(400),
        "what it does; names in braces stand for its fields, parts in brackets are optional",
    )
    schema = raw_field("its JSON Schema", {"type": "object"})


class ComponentText(Schema):
    """A component of the game."""

    kind = described_field(Text(64), "the kind of component")
    id = described_field(Text(64), "its id")
    names = raw_field("its name by language", {"type": "object"})
    facts = raw_field("the facts printed on it", {"type": "object"})


class LevelText(Schema):
    """A level of bots and the limits of its search; null for levels that do not search."""

    name = described_field(OneOf(LEVELS), "the level's name")
    method = described_field(
        OneOf(METHODS), "a random legal move, the best immediate move, or a tree search"
    )
    simulations = described_field(
        Maybe(Whole(1, 1_000_000)), "the maximum number of simulations per command"
    )
    seconds = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "the seconds after which no further simulation begins"},
    )


class RulesetDescription(RulesetSummary):
    """A ruleset: its options, commands, components and rules."""

    options = raw_field("the JSON Schema of its options, with defaults", {"type": "object"})
    commands = list_field(CommandText, "the game's own commands, in the rule book's order")
    table_commands = list_field(CommandText, "the table's commands")
    components = list_field(ComponentText, "the components it is played with")
    levels = list_field(LevelText, "the levels of bots, lowest first")
    rules = list_field(RuleText, "the rule book")
    table_rules = list_field(RuleText, "the table's rules")
