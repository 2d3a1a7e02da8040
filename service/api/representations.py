"""How what is known is told: answers, events, moves."""

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
from ..rules import plain
from ..rules.plain import Command, Maybe, Whole
from ..rules.ruleset import AnyRuleset
from .http import languages
from .http.links import game_links

Json = dict[str, Any]


def serialize_event(told: RecordedEvent) -> Json:
    """Returns an event without its sealed fields."""
    shown = {
        "version": told.version,
        "at": told.at,
        "type": told.event.type,
        "data": authorization.public_data(told.event),
    }
    if told.replaced is not None:
        shown["replaced"] = asdict(told.replaced)
    return shown


def serialize_claim_codes(written: Committed) -> list[Json]:
    """Returns the claim codes that a request made."""
    return [{"seat": seat, "claim_code": code} for seat, code in sorted(written.codes.items())]


def replay_header(written: Committed) -> dict[str, str]:
    """Returns the header that marks a repetition."""
    return {"Idempotent-Replayed": "true"} if written.replayed else {}


def durability_member(*written: Committed) -> Json:
    """Returns the member that says of a request that it stands but is not yet kept as it should

    be; nothing where it is.
    """
    return {} if all(each.durable for each in written) else {"durable": False}


def serialize_moves(found: Iterable[Move], ruleset: AnyRuleset) -> list[Json]:
    """Returns moves of a ruleset's game, or its table, as they can be sent, each with its text."""
    shown = []
    for move in found:
        command = plain.dump_command(move.command)
        text = languages.describe_value(type(move.command), command, ruleset)
        shown.append({"seat": move.seat, "command": command, "text": text})
    return shown


def serialize_move_ranges(found: Sequence[Move], ruleset: AnyRuleset) -> list[Json]:
    """Returns moves with those that differ in one whole number folded: `{"min", "max"}` stands

    for it. Together they are exactly the moves given; the order is that of each one's first move.
    """
    groups: dict[tuple[int | None, type[Command]], list[Move]] = {}
    for move in found:
        groups.setdefault((move.seat, type(move.command)), []).append(move)
    told: list[Json] = []
    for (seat, cls), members in groups.items():
        numbers = [field.name for field in plain.fields(cls) if _is_whole_number(field.kind)]
        plain_forms = [plain.dump_command(move.command) for move in members]
        best = min(
            (_fold_ranges(plain_forms, name) for name in numbers), key=len, default=plain_forms
        )
        if len(best) == len(plain_forms):
            best = plain_forms
        told += [
            {
                "seat": seat,
                "command": command,
                "text": languages.describe_value(cls, command, ruleset),
            }
            for command in best
        ]
    return told


def _is_whole_number(kind: plain.Kind) -> bool:
    return isinstance(kind, Whole) or (isinstance(kind, Maybe) and _is_whole_number(kind.inner))


def _fold_ranges(commands: Sequence[Json], name: str) -> list[Json]:
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


def serialize_game(game: Game) -> bytes:
    """Returns a game's view with its links as JSON bytes."""
    return orjson.dumps({**views.game_view(game), "links": game_links(game.id)})
