"""Described values: parsing says what is wrong and where, and nothing is lost on the way."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules import described
from service.rules.described import Structure
from service.rules.kinds import Counts, Either, Flag, Free, Kind, Many, Maybe, OneOf, Text, Whole
from service.rules.plain import Misshapen

from . import samples
from .toy import PEBBLES, Take, Taken, Throw

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@dataclass(frozen=True, slots=True)
class Inner:
    """A part."""

    name: Annotated[str, Text(6, 1), "its name"]


@dataclass(frozen=True, slots=True)
class Everything:
    """A field of each kind."""

    whole: Annotated[int, Whole(-3, 3), "a number"]
    flag: Annotated[bool, Flag(), "a flag"]
    one: Annotated[str | int, OneOf(("a", "b", 3)), "an id"]
    part: Annotated[Inner, Structure(Inner), "a part"]
    maybe: Annotated[Inner | None, Maybe(Structure(Inner)), "a part or null"] = None
    either: Annotated[int | str, Either((Whole(0, 9), OneOf(("chance",)))), "either"] = 0
    many: Annotated[tuple[Inner, ...], Many(Structure(Inner), 3), "parts"] = ()
    numbers: Annotated[tuple[int, ...], Many(Whole(0, 9), 4, 1), "numbers"] = (1,)
    counts: Annotated[tuple[tuple[str, int], ...], Counts(("x", "y/z"), 0, 5), "counts"] = ()
    free: Annotated[Any, Free(2), "anything"] = None


WHOLE: dict[str, Any] = {"whole": 1, "flag": True, "one": "a", "part": {"name": "n"}}


@pytest.mark.parametrize(
    ("change", "pointer", "detail"),
    [
        ({"whole": "1"}, "/whole", "must be a whole number"),
        ({"whole": True}, "/whole", "must be a whole number"),
        ({"whole": 1.5}, "/whole", "must be a whole number"),
        ({"whole": float("inf")}, "/whole", "must be a whole number"),
        ({"whole": 4}, "/whole", "must be from -3 to 3"),
        ({"whole": -4}, "/whole", "must be from -3 to 3"),
        ({"flag": 1}, "/flag", "must be true or false"),
        ({"one": "c"}, "/one", "must be one of: a, b, 3"),
        ({"one": "3"}, "/one", "must be one of: a, b, 3"),
        ({"one": []}, "/one", "must be one of: a, b, 3"),
        ({"part": None}, "/part", "must be an object"),
        ({"part": {}}, "/part/name", "is missing"),
        ({"part": {"name": 1}}, "/part/name", "must be text"),
        ({"part": {"name": ""}}, "/part/name", "must have 1 to 6 bytes in UTF-8"),
        ({"part": {"name": "ééé!"}}, "/part/name", "must have 1 to 6 bytes in UTF-8"),
        ({"part": {"name": "\ud800"}}, "/part/name", "must be valid Unicode text"),
        ({"part": {"name": "n", "a/b~": 1}}, "/part/a~1b~0", "is not known here"),
        ({"maybe": {}}, "/maybe/name", "is missing"),
        ({"either": 10}, "/either", "must be from 0 to 9 or must be one of: chance"),
        ({"many": {}}, "/many", "must be a list"),
        ({"many": [{"name": "n"}, {}]}, "/many/1/name", "is missing"),
        ({"many": [{"name": "n"}] * 4}, "/many", "must have 0 to 3 items"),
        ({"numbers": []}, "/numbers", "must have 1 to 4 items"),
        ({"counts": []}, "/counts", "must be an object"),
        ({"counts": {"q": 1}}, "/counts/q", "is not a known id"),
        ({"counts": {"y/z": 6}}, "/counts/y~1z", "must be from 0 to 5"),
        ({"free": 0.5}, "/free", "must be a whole number"),
        ({"free": 2**63}, "/free", f"must be from {-(2**63)} to {2**63 - 1}"),
        ({"free": {"a": {"b": []}}}, "/free/a/b", "must be plain data"),
        ({"free": {"a": [1, "\udfff"]}}, "/free/a/1", "must be valid Unicode text"),
        ({"free": {"\udfff": 1}}, "/free", "must be valid Unicode text"),
        ({"free": object()}, "/free", "must be plain data"),
        ({"other": 1}, "/other", "is not known here"),
    ],
)
def test_a_fault_is_told_with_its_place(change: Any, pointer: str, detail: str) -> None:
    with pytest.raises(Misshapen) as caught:
        described.parse(Everything, {**WHOLE, **change})
    assert (caught.value.pointer, caught.value.detail) == (pointer, detail)
    assert str(caught.value) == f"{pointer}: {detail}"


def test_a_long_list_of_ids_is_cut() -> None:
    with pytest.raises(Misshapen, match=r", 29, …$"):
        OneOf(tuple(range(31))).parse(None, "")


def test_what_is_whole_becomes_an_object() -> None:
    value = {
        **WHOLE,
        "whole": -2.0,
        "one": 3.0,
        "maybe": {"name": "m"},
        "either": "chance",
        "many": [{"name": "ä"}],
        "numbers": [1, 2.0],
        "counts": {"y/z": 1, "x": 0},
        "free": {"a": [1.0, True, None, "t"]},
    }
    parsed = described.parse(Everything, value)
    assert parsed == Everything(
        -2, True, 3, Inner("n"), Inner("m"), "chance", (Inner("ä"),), (1, 2),
        (("x", 0), ("y/z", 1)), {"a": [1, True, None, "t"]},
    )  # fmt: skip
    assert type(parsed.whole) is int
    dumped = described.dump(parsed)
    assert list(dumped) == [field.name for field in described.fields(Everything)]
    assert dumped["many"] == [{"name": "ä"}]
    assert dumped["counts"] == {"x": 0, "y/z": 1}


def test_defaults_stand_in() -> None:
    parsed = described.parse(Everything, WHOLE)
    assert (parsed.maybe, parsed.either, parsed.many, parsed.counts) == (None, 0, (), ())
    assert [field.name for field in described.fields(Everything) if field.required] == list(WHOLE)


def test_stored_data_may_lack_fields_with_defaults() -> None:
    assert described.load(Everything, {**WHOLE, "part": {"name": "n"}}) == described.parse(
        Everything, WHOLE
    )
    assert described.load(Inner, {"name": "n"}) == Inner("n")


def test_a_member_may_be_passed_over() -> None:
    assert described.parse(Inner, {"kind": 1, "name": "n"}, ignore=("kind",)) == Inner("n")
    with pytest.raises(Misshapen, match="/here: must be an object"):
        described.parse(Inner, [], "/here")
    with pytest.raises(Misshapen, match=r"\(whole\): must be an object"):
        described.parse(Inner, [])


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ([], "/c"),
        ({}, "/c/type"),
        ({"type": "none"}, "/c/type"),
        ({"type": ["take"]}, "/c/type"),
        ({"type": "take"}, "/c/colour"),
        ({"type": "throw", "hole": 1}, "/c/hole"),
    ],
)
def test_a_misshapen_command_is_told(value: Any, pointer: str) -> None:
    with pytest.raises(Misshapen) as caught:
        described.parse_command(PEBBLES.commands, value, "/c")
    assert caught.value.pointer == pointer


def test_a_command_comes_back() -> None:
    for command in (Take("red", 2), Take("blue"), Throw()):
        assert described.parse_command(PEBBLES.commands, described.dump_command(command)) == command
    assert described.dump_command(Take("red", 2)) == {"type": "take", "colour": "red", "hole": 2}


def test_a_field_without_a_kind_is_a_fault_of_the_class() -> None:
    @dataclass(frozen=True, slots=True)
    class Bare:
        number: int

    @dataclass(frozen=True, slots=True)
    class Lone:
        number: Annotated[int, Whole(0, 1)]

    for cls in (Bare, Lone):
        with pytest.raises(TypeError, match="has no kind and meaning"):
            described.fields(cls)


def test_a_kind_must_say_how_it_parses() -> None:
    with pytest.raises(NotImplementedError):
        Kind().parse(1, "")
    assert (Kind().load(1), Kind().dump(1), Kind().changes) == (1, 1, False)


KINDS: tuple[Kind, ...] = (
    *(field.kind for field in described.fields(Everything)),
    Structure(Everything),
    Structure(Taken),
    Many(Maybe(Flag()), 5),
    Maybe(Many(Whole(0, 3), 2)),
    Free(),
)


@settings(deadline=None)
@given(JSON, st.sampled_from(KINDS))
def test_arbitrary_data_is_parsed_or_misshapen(value: Any, kind: Kind) -> None:
    try:
        parsed = kind.parse(value, "/at")
    except Misshapen as fault:
        assert fault.pointer.startswith("/at")  # noqa: PT017
        assert fault.detail  # noqa: PT017
    else:
        assert kind.parse(json.loads(json.dumps(kind.dump(parsed))), "") == parsed


@settings(deadline=None)
@given(JSON)
def test_arbitrary_commands_are_parsed_or_misshapen(value: Any) -> None:
    for data in (value, {"type": "take", "colour": value}, {"type": value}):
        try:
            command = described.parse_command(PEBBLES.commands, data)
        except Misshapen:
            continue
        assert described.parse_command(PEBBLES.commands, described.dump_command(command)) == command


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(KINDS))
def test_what_is_dumped_is_loaded_and_parsed_the_same(source: random.Random, kind: Kind) -> None:
    value = samples.well_shaped(kind, source)
    sent = json.loads(json.dumps(kind.dump(value)))
    assert kind.parse(sent, "") == value
    if not isinstance(kind, Either):
        assert kind.load(sent) == value


@dataclass(frozen=True, slots=True)
class Journey:
    """A field that Python has a word for."""

    from_: Annotated[str, Text(9), "where from"]
    to: Annotated[str, Text(9), "where to"] = "home"


def test_a_field_may_have_a_name_that_python_keeps_for_itself() -> None:
    assert [field.name for field in described.fields(Journey)] == ["from", "to"]
    assert [field.attribute for field in described.fields(Journey)] == ["from_", "to"]
    parsed = described.parse(Journey, {"from": "a"})
    assert parsed == Journey("a")
    assert described.dump(parsed) == {"from": "a", "to": "home"}
    assert described.load(Journey, {"from": "a", "to": "b"}) == Journey("a", "b")
    with pytest.raises(Misshapen) as caught:
        described.parse(Journey, {"from_": "a"})
    assert caught.value.pointer == "/from_"


def test_a_reserved_name_may_have_a_default() -> None:
    @dataclass(frozen=True)
    class Stay:
        from_: Annotated[str, Text(9), "where from"] = "home"

    assert described.load(Stay, {}) == Stay() == described.parse(Stay, {})
    assert described.load(Stay, {"from": "away"}) == Stay("away")
