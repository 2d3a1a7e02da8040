"""Descriptions, their JSON Schema and their parser say the same."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import Schema, ValidationError

from schemas.described_fields import (
    CommandKind,
    Described,
    StepKind,
    SubPointer,
    parse_checked,
    validation_errors,
)
from schemas.fields import SEAT, Pattern, pattern_field
from schemas.json_schema import Plugin, class_schema, component_name, kind_schema
from service.games.table.commands import COMMANDS
from service.rules.described import Structure, parse
from service.rules.kinds import Counts, Either, Flag, Free, Kind, Many, Maybe, OneOf, Text, Whole
from service.rules.plain import Misshapen
from service.rules.ruleset import rulesets
from tests.rules.toy import PEBBLES, Options, Take

KINDS: list[Kind] = [
    Whole(-3, 9),
    Flag(),
    OneOf(("a", "b")),
    OneOf((4, 2)),
    OneOf((4, "chance")),
    Text(8),
    Text(8, 1),
    Maybe(Whole(0, 3)),
    Maybe(OneOf(("a",))),
    Maybe(Many(Flag(), 2)),
    Either((Whole(0, 3), OneOf(("chance",)))),
    Many(Whole(0, 3), 3, 1),
    Counts(("a", "b"), 0, 4),
    Structure(Take),
    Structure(Options),
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 12)
    | st.sampled_from([1.0, 2.5, 300])
    | st.sampled_from(["", "a", "b", "red", "blue", "chance", "abcdefgh", "abcdefghi"])
)
names = st.sampled_from(["a", "b", "colour", "hole", "pebbles", "throwing", "red"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def accepted(kind: Kind, value: Any) -> bool:
    try:
        kind.parse(value, "")
    except Misshapen:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(value=values)
@settings(max_examples=150, deadline=None)
def test_a_kind_accepts_what_its_schema_accepts(kind: Kind, value: Any) -> None:
    validator = jsonschema_rs.Draft202012Validator(kind_schema(kind))
    assert validator.is_valid(value) == accepted(kind, value)


def test_free_data_has_no_bounds_in_the_schema() -> None:
    assert kind_schema(Free()) == {"description": "plain data"}


def test_a_kind_without_a_schema_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError, match="has no JSON Schema"):
        kind_schema(Kind())


@pytest.mark.parametrize("ruleset", [*rulesets().values(), PEBBLES], ids=lambda each: each.id)
def test_every_class_of_a_ruleset_has_a_valid_schema(ruleset: Any) -> None:
    for command in [*ruleset.commands.values(), *COMMANDS.values()]:
        schema = class_schema(command, command.type)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["type"]["enum"] == [command.type]
    for event in ruleset.events.values():
        jsonschema.Draft202012Validator.check_schema(class_schema(event))
    options = class_schema(ruleset.options)
    json.dumps(options)
    assert "required" not in options
    defaults = {name: each["default"] for name, each in options["properties"].items()}
    assert parse(ruleset.options, defaults) == ruleset.options()


def test_sealed_fields_are_not_in_the_schema() -> None:
    assert set(class_schema(Take, sealed=["hole"])["properties"]) == {"colour"}


def test_the_place_of_a_fault_is_kept() -> None:
    class Asked(Schema):
        inner = Described(Structure(Take), required=True)
        maybe = Described(Maybe(Whole(0, 3)))

    with pytest.raises(ValidationError) as caught:
        Asked().load({"inner": {"colour": "green"}, "maybe": 9, "a/b": 1})
    assert sorted(each["pointer"] for each in validation_errors(caught.value.messages)) == [
        "/a~1b",
        "/inner/colour",
        "/maybe",
    ]
    assert Asked().load({"inner": {"colour": "red", "hole": 1.0}, "maybe": None}) == {
        "inner": Take("red", 1),
        "maybe": None,
    }
    assert Asked().dump({"inner": Take("red", 1), "maybe": 2}) == {
        "inner": {"colour": "red", "hole": 1},
        "maybe": 2,
    }


def test_faults_of_the_whole_have_the_empty_pointer() -> None:
    assert validation_errors({"_schema": ["no"]}) == [{"pointer": "", "detail": "no"}]
    assert validation_errors({SubPointer(""): ["no"]}, "/x") == [{"pointer": "/x", "detail": "no"}]
    with pytest.raises(ValidationError):
        parse_checked(Flag().parse, 3)


def test_commands_and_steps() -> None:
    kind = CommandKind(PEBBLES.commands)
    command = kind.parse({"type": "take", "colour": "red"}, "")
    assert command == Take("red")
    assert kind.dump(command) == {"type": "take", "colour": "red", "hole": None}
    step = StepKind(SEAT, kind)
    assert step.parse([1, kind.dump(command)], "") == (1, Take("red"))
    for wrong, pointer in (([1], "/s"), ([8, {}], "/s/0"), ([0, {}], "/s/1/type"), (3, "/s")):
        with pytest.raises(Misshapen) as caught:
            step.parse(wrong, "/s")
        assert caught.value.pointer == pointer


@pytest.mark.parametrize("text", ["", "ab1\n", "AB1", "ab12", None, 3])
def test_a_pattern_is_the_whole_text(text: Any) -> None:
    pattern = Pattern("[a-z]{2}[0-9]", "must be two letters and a digit")
    assert pattern.parse("ab1", "") == "ab1"
    with pytest.raises(Misshapen, match="two letters"):
        pattern.parse(text, "")
    assert pattern_field(pattern).documented == {"type": "string", "pattern": "^[a-z]{2}[0-9]$"}


def test_names_of_components() -> None:
    assert component_name("table", "give_to_bot") == "TableGiveToBot"
    assert Plugin.Converter.__name__ == "Converter"
