"""The public names of the law, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from service import rules

EXPORTED = [
    "ENTROPY_BYTES",
    "MAX_SEATS",
    "SEED_BYTES",
    "AnyRuleset",
    "ArrangedChance",
    "Chance",
    "Command",
    "Component",
    "Counts",
    "Detail",
    "Draw",
    "Either",
    "Event",
    "Field",
    "Flag",
    "Free",
    "FreeChance",
    "Item",
    "Kind",
    "Many",
    "Maybe",
    "Misshapen",
    "NoChance",
    "OneOf",
    "Outcome",
    "Plain",
    "PlayEnded",
    "Reading",
    "RecordedChance",
    "Rule",
    "RuleViolation",
    "Ruleset",
    "Scoring",
    "SealedChance",
    "SeatScore",
    "Stopped",
    "Structure",
    "Text",
    "Whole",
    "advance",
    "arranged_commitment",
    "commitment",
    "dump",
    "dump_command",
    "escape",
    "fields",
    "load",
    "options_of",
    "parse",
    "parse_command",
    "ranked",
    "readings_of",
    "rule_book",
    "rulesets",
    "run",
    "start",
]


def test_exactly_these_names_are_exported() -> None:
    assert rules.__all__ == EXPORTED


def test_all_that_is_imported_from_elsewhere_is_exported() -> None:
    modules = {name for name in vars(rules) if f"service.rules.{name}" in sys.modules}
    public = {name for name in vars(rules) if not name.startswith("_")}
    assert public - modules == set(EXPORTED)


@pytest.mark.integration
def test_the_names_need_the_standard_library_alone_and_no_ruleset() -> None:
    code = (
        "import sys, service.rules\n"
        "own = {name for name in sys.modules if name.startswith('service.')}\n"
        "known = {'rules'} | {f'rules.{name}' for name in "
        "('chance', 'data', 'described', 'kinds', 'plain', 'ruleset')}\n"
        "assert own == {f'service.{name}' for name in known}, own\n"
        "tops = {name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names\n"
        "assert not tops & {'redis', 'flask', 'orjson', 'marshmallow', 'rq'}, tops\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
