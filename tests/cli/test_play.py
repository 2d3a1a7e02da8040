"""`bailli play` and `bailli verify`: a game in the terminal, and its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.cli import verify as verifying
from service.rules.ruleset import rulesets

NAME, LAW = next(iter(rulesets().items()))


def bailli(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("name", list(rulesets()))
def test_a_game_is_played_and_its_record_proved(name: str, tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    seats = rulesets()[name].seats
    shown = bailli("play", name, "--seats", str(seats[-1]), "--level", "random", "--out", str(out))
    assert shown.exit_code == 0
    for seat in range(seats[-1]):
        assert f". seat {seat} (random): " in shown.output
    assert f"The record is in {out}" in shown.output
    proved = bailli("verify", str(out))
    assert proved.exit_code == 0
    assert proved.output.startswith("Verified: ")


def test_the_record_is_kept_here_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bailli("play", NAME, "--level", "random").exit_code == 0
    (kept,) = tmp_path.iterdir()
    record = orjson.loads(kept.read_bytes())
    assert kept.name == f"{NAME}-{record['game']}.json"
    assert len(record["seats"]) == LAW.seats[0]


def steps(path: Path) -> list[Any]:
    record = orjson.loads(path.read_bytes())
    return [[step["command"], step["draws"], step["events"]] for step in record["steps"]]


@pytest.mark.broad
def test_a_seed_brings_the_same_game(tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("one", "two", "three", "four")]
    for out, seed in zip(
        outs, (["--seed", "x"], ["--seed", "x"], ["--seed", "y"], []), strict=True
    ):
        bailli("play", NAME, "--out", str(out), *seed)
    one, two, three, four = map(steps, outs)
    assert one == two
    assert one != three
    assert four not in (one, three)


def test_levels_go_round(tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    levels = ("--level", "easy", "--level", "random")
    bailli("play", NAME, "--seats", str(LAW.seats[1]), *levels, "--out", str(out))
    seats = orjson.loads(out.read_bytes())["seats"]
    assert [seat["level"] for seat in seats] == ["easy", "random", "easy"][: LAW.seats[1]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dominion"], "must be one of"),
        ([NAME, "--seats", "99"], "must be one of"),
        ([NAME, "--level", "brilliant"], "is not one of"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: list[str], said: str) -> None:
    shown = bailli("play", *arguments)
    assert shown.exit_code == 2
    assert said in shown.output


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("record") / "record.json"
    bailli("play", NAME, "--seed", "x", "--level", "random", "--out", str(out))
    kept: dict[str, Any] = orjson.loads(out.read_bytes())
    return kept


def verified(record: Any, folder: Path) -> Result:
    file = folder / "record.json"
    file.write_bytes(record if isinstance(record, bytes) else orjson.dumps(record))
    return bailli("verify", str(file))


def test_a_changed_record_is_not_proved(record: dict[str, Any], tmp_path: Path) -> None:
    changed = orjson.loads(orjson.dumps(record))
    changed["chance"]["seed"] = "00" * 32
    shown = verified(changed, tmp_path)
    assert shown.exit_code == 1
    assert shown.output.startswith("Error: not verified: /chance/commitment")


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"format": 1}', b"\xff"])
def test_what_is_no_record_is_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    shown = verified(data, tmp_path)
    assert shown.exit_code == 1
    assert "is not a record: " in shown.output
    assert shown.output.count("\n") == 1


def test_a_file_that_is_too_long_is_refused(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "MAX_BYTES", 100)
    assert "has more than 100 bytes" in verified(record, tmp_path).output


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert bailli("verify", str(tmp_path / "none")).exit_code == 2


def test_the_contract_is_printed() -> None:
    shown = bailli("openapi")
    assert shown.exit_code == 0
    assert shown.output.startswith("openapi: ")
    assert "/v1/games" in shown.output
