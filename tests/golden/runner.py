"""Plays golden games (see README.md) and checks what they state. Knows no ruleset by name."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from service.rules import described
from service.rules.chance import ArrangedChance, Chance, SealedChance
from service.rules.ruleset import AnyRuleset, Outcome, RuleViolation, options_of, run, start

GAME = {"format", "id", "ruleset", "about", "rules", "seats", "options", "chance", "steps"}
GAME_MAY = {"version", "setup", "final"}
STEP, STEP_MAY = {"seat", "command"}, {"expect"}


class Faulty(Exception):
    """The golden game itself does not keep to its format."""


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the games of a file."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    texts = text.splitlines() if ".jsonl" in path.suffixes else [text]
    for line in texts:
        yield json.loads(line)


def play(game: Mapping[str, Any], rulesets: Mapping[str, AnyRuleset]) -> int:
    """Plays a game; returns how many expectations it checked. Asserts what they state.

    Raises `Faulty` for a game that breaks the format, or that checks nothing.
    """
    _members("the game", game, GAME, GAME_MAY)
    if game["format"] != 1:
        raise Faulty("only format 1 is known")
    ruleset = rulesets[game["ruleset"]]
    known = {rule.id for rule in ruleset.rules}
    if not game["rules"] or not set(game["rules"]) <= known:
        raise Faulty(f"rules must be ids of the rule book: {game['rules']}")
    version = game.get("version", ruleset.version)
    if version != ruleset.version and version not in ruleset.earlier:
        raise Faulty(f"version {version} of the ruleset is not known")
    options = options_of(ruleset, version, game["options"], "/options")
    chance = _chance(game["chance"])
    state, outcome = start(ruleset, game["seats"], options, chance)
    checked = _check(ruleset, state, outcome, game.get("setup", {}), "set-up")
    for place, step in enumerate(game["steps"]):
        _members(f"step {place}", step, STEP, STEP_MAY)
        assert outcome.stopped is None, f"chance ran out before step {place}"
        command = described.parse_command(
            ruleset.commands, step["command"], f"/steps/{place}/command"
        )
        assert command in ruleset.legal(state, step["seat"]), f"step {place} is not listed"
        outcome = run(ruleset, state, step["seat"], command, chance)
        checked += _check(ruleset, state, outcome, step.get("expect", {}), f"step {place}")
    checked += _check(ruleset, state, outcome, game.get("final", {}), "the end")
    if not checked:
        raise Faulty("nothing is expected")
    last = (game["steps"] or [{}])[-1].get("expect", {}) if game["steps"] else game.get("setup", {})
    expected_stop = last.get("stopped", False) or game.get("final", {}).get("stopped", False)
    assert (outcome.stopped is not None) == expected_stop, f"stopped: {outcome.stopped}"
    if isinstance(game["chance"], list):
        assert chance.next_index == len(game["chance"]), "outcomes are left over"
    return checked


def _chance(given: Any) -> Chance:
    if isinstance(given, list):
        return ArrangedChance(given)
    _members("chance", given, {"seed"}, set())
    return SealedChance(bytes.fromhex(given["seed"]), "")


def _members(where: str, value: Any, must: set[str], may: set[str]) -> None:
    if not isinstance(value, Mapping):
        raise Faulty(f"{where} must be an object")
    if not must <= set(value) <= must | may:
        raise Faulty(f"{where}: members are {sorted(value)}, not {sorted(must)} + {sorted(may)}")


def _check(
    ruleset: AnyRuleset, state: Any, outcome: Outcome, expect: Mapping[str, Any], where: str
) -> int:
    for name, wanted in expect.items():
        check = _CHECKS.get(name)
        if check is None:
            raise Faulty(f"{where}: {name} is no expectation")
        check(ruleset, state, outcome, wanted, f"{where}, {name}")
    return len(expect)


def _score(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    assert [seat.total for seat in ruleset.score(state).seats] == wanted, where


def _ranks(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    assert [seat.rank for seat in ruleset.score(state).seats] == wanted, where


def _items(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    seats = ruleset.score(state).plain()["seats"]
    lines = [{"seat": seat["seat"], **item} for seat in seats for item in seat["items"]]
    for line in wanted:
        if not {"seat", "name", "points"} <= set(line):
            raise Faulty(f"{where}: an item needs seat, name and points")
        assert any(_within(line, known) for known in lines), f"{where}: {line} not in {lines}"


def _to_act(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    assert list(ruleset.to_act(state)) == wanted, where


def _over(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    assert ruleset.over(state) is wanted, where


def _stopped(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    assert (outcome.stopped is not None) is wanted, where


def _legal(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    for seat, types in wanted.items():
        listed = ruleset.legal(state, int(seat))
        for name, commands in types.items():
            if name not in ruleset.commands:
                raise Faulty(f"{where}: there is no command {name}")
            found = [described.dump(command) for command in listed if command.type == name]
            assert found == commands, f"{where}: seat {seat}, {name}"


def _counts(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    for seat, counts in wanted.items():
        if not set(counts) <= set(ruleset.commands):
            raise Faulty(f"{where}: there are no such commands: {sorted(counts)}")
        found = Counter(command.type for command in ruleset.legal(state, int(seat)))
        assert found == Counter(counts), f"{where}: seat {seat}"


def _view(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    view = ruleset.view(state)
    for pointer, value in wanted.items():
        assert pointed(view, pointer) == value, f"{where}: {pointer}"


def _events(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    told = [{"type": event.type, **described.dump(event)} for event in outcome.events]
    left = iter(told)
    for event in wanted:
        if event.get("type") not in ruleset.events:
            raise Faulty(f"{where}: there is no such event: {event}")
        assert any(_within(event, known) for known in left), f"{where}: {event} not in {told}"


def _no_events(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    if not set(wanted) <= set(ruleset.events):
        raise Faulty(f"{where}: there are no such events: {wanted}")
    told = {event.type for event in outcome.events}
    assert not told & set(wanted), where


def _refused(ruleset: AnyRuleset, state: Any, outcome: Outcome, wanted: Any, where: str) -> None:
    for trial in wanted:
        _members(where, trial, {"seat", "command", "rule"}, {"code"})
        command = described.parse_command(ruleset.commands, trial["command"])
        assert command not in ruleset.legal(state, trial["seat"]), f"{where}: {trial} is listed"
        refusal = None
        try:
            ruleset.decide(state, trial["seat"], command)
        except RuleViolation as violation:
            refusal = violation
        assert refusal is not None, f"{where}: {trial} is accepted"
        assert refusal.rule == trial["rule"], f"{where}: {trial}: {refusal}"
        assert refusal.code == trial.get("code", refusal.code), f"{where}: {trial}: {refusal}"


_CHECKS: dict[str, Callable[[AnyRuleset, Any, Outcome, Any, str], None]] = {
    "score": _score,
    "ranks": _ranks,
    "items": _items,
    "to_act": _to_act,
    "over": _over,
    "stopped": _stopped,
    "legal": _legal,
    "legal_counts": _counts,
    "view": _view,
    "events": _events,
    "no_events": _no_events,
    "refused": _refused,
}


def pointed(value: Any, pointer: str) -> Any:
    """Returns the part of plain data that a JSON Pointer names; fails where there is none."""
    if pointer and not pointer.startswith("/"):
        raise Faulty(f"{pointer} is no JSON Pointer")
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, ValueError, TypeError):
            raise AssertionError(f"the view has no {pointer}") from None
    return value


def _within(part: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    return all(name in whole and whole[name] == value for name, value in part.items())
