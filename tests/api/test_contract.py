"""The contract as a file: up to date, valid, and enough to play by."""

from __future__ import annotations

import yaml
from click.testing import CliRunner
from openapi_spec_validator import validate

from service.cli import main
from service.games.table.commands import COMMANDS
from service.rules.ruleset import rulesets
from tests.api.http_client import CONTRACT, contract, operations


def test_the_file_is_what_the_code_says() -> None:
    written = CliRunner().invoke(main, ["openapi"])
    assert CONTRACT.read_text() == written.output, "run `make openapi`"


def test_it_is_valid() -> None:
    validate(yaml.load(CONTRACT.read_text(), yaml.CSafeLoader))


def test_every_operation_is_described() -> None:
    ids = [operation["operationId"] for operation in operations().values()]
    assert len(ids) == len(set(ids))
    for (method, path), operation in operations().items():
        assert operation["summary"], (method, path)
        assert operation["tags"]
        for status, answer in operation["responses"].items():
            assert answer["description"], (method, path, status)
        if "{game_id}" in path:
            assert "404" in operation["responses"]
            assert "410" in operation["responses"]
        if "requestBody" in operation:
            assert method == "post"
            assert {"400", "413", "415", "422"} <= set(operation["responses"])
            assert operation["requestBody"]["content"]["application/json"]["examples"]


def test_every_command_is_in_it_with_its_own_type() -> None:
    schemas = contract()["components"]["schemas"]
    found = {
        each["properties"]["type"]["enum"][0]
        for each in schemas.values()
        if "data" not in each.get("properties", {})
        and each.get("properties", {}).get("type", {}).get("enum")
    }
    wanted = {name for ruleset in rulesets().values() for name in ruleset.commands}
    assert wanted | set(COMMANDS) <= found


def test_links_name_operations_and_their_parameters() -> None:
    by_id = {operation["operationId"]: operation for operation in operations().values()}
    linked = 0
    for operation in by_id.values():
        for answer in operation["responses"].values():
            for link in answer.get("links", {}).values():
                target = by_id[link["operationId"]]
                known = {each["name"] for each in target["path_parameters"]}
                assert set(link["parameters"]) <= known
                linked += 1
    assert linked >= 10
