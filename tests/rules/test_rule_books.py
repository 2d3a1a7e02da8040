"""Rule books in docs/rules are what the rulesets say, and every rule has a test that names it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from service.rules import described
from service.rules.ruleset import FOLLOWED, rulesets

from .laws import check_rules_named
from .toy import PEBBLES

ROOT = Path(__file__).resolve().parents[2]


def _builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_rules", ROOT / "docs" / "build_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", rulesets())
def test_the_book_is_up_to_date(name: str) -> None:
    page = ROOT / "docs" / "rules" / f"{name}.md"
    assert page.read_text() == _builder().book(rulesets()[name])


@pytest.mark.parametrize("name", rulesets())
def test_every_rule_is_named_by_a_test(name: str) -> None:
    folder = ROOT / "tests" / "rules" / name
    check_rules_named(rulesets()[name], [path.read_text() for path in folder.glob("test_*.py")])


@pytest.mark.parametrize("name", rulesets())
def test_descriptions_are_whole(name: str) -> None:
    ruleset = rulesets()[name]
    rules = [rule.id for rule in ruleset.rules]
    assert len(set(rules)) == len(rules)
    assert all(rule.text.strip() for rule in ruleset.rules)
    assert all(not field.required for field in described.fields(ruleset.options))
    assert "play_ended" in ruleset.events
    assert set(ruleset.passes) <= set(ruleset.commands)
    for type_name, command in ruleset.commands.items():
        assert command.type == type_name
        assert command.rule in rules
        assert command.text
        command.text.format(**{field.name: "" for field in described.fields(command)})
        assert command.__doc__
    for type_name, event in ruleset.events.items():
        assert event.type == type_name
        assert event.schema >= 1
        assert event.__doc__
        assert described.fields(event) is not None
    for component in ruleset.components:
        assert set(component.names) == {"en", "pt", "fr"}
        assert all(component.names.values())
    ids = [(component.kind, component.id) for component in ruleset.components]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", rulesets())
def test_readings_are_whole(name: str) -> None:
    """Each is about a rule, in the book's order; an option is one of those that there are."""
    ruleset = rulesets()[name]
    rules = [rule.id for rule in ruleset.rules]
    options = {field.name for field in described.fields(ruleset.options)}
    about = [reading.rule for reading in ruleset.readings]
    assert about == sorted(set(about), key=rules.index)
    assert {reading.option for reading in ruleset.readings} <= {*options, None}
    for reading in ruleset.readings:
        assert reading.text.endswith(".")
        assert reading.published is None or reading.published.endswith(".")
        assert reading.follows in FOLLOWED
    page = _builder().book(ruleset)
    assert page.count("\n| [") == len(ruleset.readings)


@pytest.mark.parametrize("name", rulesets())
def test_earlier_versions_play_by_options(name: str) -> None:
    ruleset = rulesets()[name]
    known = {field.name: field.kind for field in described.fields(ruleset.options)}
    for version, options in ruleset.earlier.items():
        assert 0 < version < ruleset.version
        assert options
        for option, value in options.items():
            assert known[option].parse(value, "") == value


def test_a_book_has_all_that_is_described() -> None:
    text = _builder().book(PEBBLES)
    assert '<a id="p-2.1"></a>**P-2.1** Without a hole, the first that fits.' in text
    assert "| `throwing` | true or false | `true` | whether a seat may throw" in text
    assert "### `take`\n\nTake the pebble of the middle into a hole. (rule [P-2](#p-2))" in text
    assert "null or whole number, 0 to 9 | `null` |" in text
    assert "list of 0 to 40: one of `red`, `blue`" in text
    assert "### `play_ended`" in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
