"""How what is known is told: answers, events, moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from flask import Response

from ..games import access
from ..games.asked import Written
from ..games.game import Game
from ..games.reading import Move, Told
from ..rules import plain
from ..rules.plain import Command, Maybe, Whole
from ..rules.ruleset import AnyRuleset
from . import asking, texts

Json = dict[str, Any]


def answer(
    body: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    game: Game | None = None,
) -> Response:
    """Returns an answer of plain data (or JSON bytes), with the game's ETag where there is one."""
    written = body if isinstance(body, bytes) else orjson.dumps(body)
    response = Response(written, status, mimetype="application/json")
    if game is not None:
        response.headers["ETag"] = asking.etag(game)
    if headers:
        response.headers.update(headers)
    return response


def nothing(status: int = 204) -> Response:
    """Returns an answer without a body, and so without a type."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response


def event(told: Told) -> Json:
    """Returns an event without its sealed fields."""
    shown = {
        "version": told.version,
        "at": told.at,
        "type": told.event.type,
        "data": access.public(told.event),
    }
    if told.replaced is not None:
        shown["replaced"] = asdict(told.replaced)
    return shown


def codes(written: Written) -> list[Json]:
    """Returns the claim codes that a request made."""
    return [{"seat": seat, "claim_code": code} for seat, code in sorted(written.codes.items())]


def replayed(written: Written) -> dict[str, str]:
    """Returns the header that marks a repetition."""
    return {"Idempotent-Replayed": "true"} if written.replayed else {}


def durable(*written: Written) -> Json:
    """Returns the member that says of a request that it stands but is not yet kept as it should

    be; nothing where it is.
    """
    return {} if all(each.durable for each in written) else {"durable": False}


def moves(found: Iterable[Move], ruleset: AnyRuleset) -> list[Json]:
    """Returns moves of a ruleset's game, or its table, as they can be sent, each with its text."""
    shown = []
    for move in found:
        command = plain.dump_command(move.command)
        text = texts.told(type(move.command), command, ruleset)
        shown.append({"seat": move.seat, "command": command, "text": text})
    return shown


def ranges(found: Sequence[Move], ruleset: AnyRuleset) -> list[Json]:
    """Returns moves with those that differ in one whole number folded: `{"min", "max"}` stands

    for it. Together they are exactly the moves given; the order is that of each one's first move.
    """
    groups: dict[tuple[int | None, type[Command]], list[Move]] = {}
    for move in found:
        groups.setdefault((move.seat, type(move.command)), []).append(move)
    told: list[Json] = []
    for (seat, cls), members in groups.items():
        numbers = [field.name for field in plain.fields(cls) if _whole(field.kind)]
        plain_forms = [plain.dump_command(move.command) for move in members]
        best = min((_folded(plain_forms, name) for name in numbers), key=len, default=plain_forms)
        if len(best) == len(plain_forms):
            best = plain_forms
        told += [
            {"seat": seat, "command": command, "text": texts.told(cls, command, ruleset)}
            for command in best
        ]
    return told


def _whole(kind: plain.Kind) -> bool:
    return isinstance(kind, Whole) or (isinstance(kind, Maybe) and _whole(kind.inner))


def _folded(commands: Sequence[Json], name: str) -> list[Json]:
    """Folds runs of consecutive numbers in one field, the others being equal."""
    runs: dict[str, list[Json]] = {}
    for command in commands:
        others = orjson.dumps([value for key, value in command.items() if key != name]).decode()
        found = runs.setdefault(others, [])
        value = command[name]
        if found and value is not None and found[-1][name] is not None:
            last = found[-1][name]
            if value == last["max"] + 1:
                last["max"] = value
                continue
        ranged = None if value is None else {"min": value, "max": value}
        found.append({**command, name: ranged})
    folded = [command for found in runs.values() for command in found]
    for command in folded:
        ranged = command[name]
        if ranged is not None and ranged["min"] == ranged["max"]:
            command[name] = ranged["min"]
    return folded
