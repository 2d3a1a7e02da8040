"""Representations: events, moves, games and codes as JSON for clients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from ..games import authorization, views
from ..games.commands.results import Committed
from ..games.game import Game
from ..games.history import RecordedEvent
from ..games.legal_moves import Move
from ..rules import described, kinds
from ..rules.described import Command
from ..rules.kinds import Maybe, Whole
from ..rules.ruleset import AnyRuleset
from .http import (
    descriptions,
)
from .http.links import game_links

Json = dict[str, Any]


def serialize_event(recorded: RecordedEvent) -> Json:
    """Returns an event as JSON, without its sealed fields."""
    serialized = {
        "version": recorded.version,
        "at": recorded.at,
        "type": recorded.event.type,
        "data": authorization.public_data(recorded.event),
    }
    if recorded.replaced is not None:
        serialized["replaced"] = asdict(recorded.replaced)
    return serialized


def serialize_claim_codes(committed: Committed) -> list[Json]:
    """Returns the claim codes that a commit created, by seat."""
    return [{"seat": seat, "claim_code": code} for seat, code in sorted(committed.codes.items())]


def durability_member(*committed: Committed) -> Json:
    """Returns `{"durable": false}` if a commit was not acknowledged by the copies asked for, else

    nothing.
    """
    return {} if all(each.durable for each in committed) else {"durable": False}


def serialize_moves(moves: Iterable[Move], ruleset: AnyRuleset, state: Any = None) -> list[Json]:
    """Returns moves of the game or the table, ready to be sent, each with its text.

    `state` is the ruleset's state in which the moves of the game are legal.
    """
    serialized = []
    for move in moves:
        command = described.dump_command(move.command)
        text = descriptions.describe_value(type(move.command), command, ruleset, state, move.seat)
        serialized.append({"seat": move.seat, "command": command, "text": text})
    return serialized


def serialize_move_ranges(
    moves: Sequence[Move], ruleset: AnyRuleset, state: Any = None
) -> list[Json]:
    """Returns moves with those that differ in one whole number folded into `{"min", "max"}`.

    Together they are exactly the given moves, in the order of the first move of each.
    """
    groups: dict[tuple[int | None, type[Command]], list[Move]] = {}
    for move in moves:
        groups.setdefault((move.seat, type(move.command)), []).append(move)
    serialized: list[Json] = []
    for (seat, cls), members in groups.items():
        numbers = [field.name for field in described.fields(cls) if _is_whole_number(field.kind)]
        plain_forms = [described.dump_command(move.command) for move in members]
        best = min(
            (_fold_ranges(plain_forms, name) for name in numbers), key=len, default=plain_forms
        )
        if len(best) == len(plain_forms):
            best = plain_forms
        serialized += [
            {
                "seat": seat,
                "command": command,
                "text": descriptions.describe_value(cls, command, ruleset, state, seat),
            }
            for command in best
        ]
    return serialized


def _is_whole_number(kind: kinds.Kind) -> bool:
    return isinstance(kind, Whole) or (isinstance(kind, Maybe) and _is_whole_number(kind.inner))


def _fold_ranges(commands: Sequence[Json], name: str) -> list[Json]:
    """Returns commands with runs of consecutive numbers in one field folded into ranges; the other

    fields of a run are equal.
    """
    runs: dict[str, list[Json]] = {}
    for command in commands:
        others = orjson.dumps([value for key, value in command.items() if key != name]).decode()
        run = runs.setdefault(others, [])
        value = command[name]
        if run and value is not None and run[-1][name] is not None:
            last = run[-1][name]
            if value == last["max"] + 1:
                last["max"] = value
                continue
        ranged = None if value is None else {"min": value, "max": value}
        run.append({**command, name: ranged})
    folded = [command for run in runs.values() for command in run]
    for command in folded:
        ranged = command[name]
        if ranged is not None and ranged["min"] == ranged["max"]:
            command[name] = ranged["min"]
    return folded


def serialize_game(game: Game) -> bytes:
    """Returns a game with its links as JSON bytes."""
    return orjson.dumps({**views.game_view(game), "links": game_links(game.id)})
