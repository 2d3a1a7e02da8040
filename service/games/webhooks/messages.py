"""Messages of webhooks: they say that something happened, with ids and versions, never a state."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson

from ...store import Entry
from .. import authorization, ids
from ..codec import decode_meta
from ..game import Game
from ..table.commands import COMMANDS
from ..table.events import Abandoned, FinalScored, GameStarted, Undone
from .model import Message, Webhook
from .types import EVENTS, FINISHED, NO_RIGHT, STARTED, TO_ACT


def with_pending_messages(
    webhook_id: str, webhook: Webhook, game: Game, entries: Sequence[Entry]
) -> Webhook:
    """Returns the webhook with the messages about the entries after its cursor, the last of which

    led to `game`. Where there is no message to send, the cursor moves on at once; where the owner
    has left the table, the webhook is disabled.

    `seat.to_act` is sent once for each time a seat must act: when it did not have to before, or has
    moved since, or moves were taken back. An owner without seats (a host) gets it for all seats
    that people play.
    """
    table = game.table
    seats = authorization.seats_of(table, webhook.owner)
    if not seats and not authorization.is_host(table, webhook.owner):
        return replace(webhook, disabled=NO_RIGHT, pending=(), next_at=None)
    acting = tuple(
        seat for seat in game.to_act() if not table.seats[seat].bot and (seat in seats or not seats)
    )
    types = {entry.type for entry in entries}
    moved = _seats_that_moved(entries) if Undone.type not in types else set(acting)
    newly_acting = [seat for seat in acting if seat not in webhook.acting or seat in moved]
    events = f"/v1/games/{game.id}/events?after={webhook.cursor}"
    wanted: list[tuple[str, dict[str, Any], dict[str, str]]] = []
    if GameStarted.type in types:
        wanted.append((STARTED, {}, {}))
    wanted.append((EVENTS, {"after": webhook.cursor}, {"events": events}))
    if newly_acting:
        wanted.append((TO_ACT, {"seats": newly_acting}, {"moves": f"/v1/games/{game.id}/moves"}))
    if types & {Abandoned.type, FinalScored.type}:
        over = {"status": table.status, "reason": table.reason}
        links = {name: f"/v1/games/{game.id}/{name}" for name in ("score", "record")}
        wanted.append((FINISHED, over, links))
    pending = tuple(
        _build_message(webhook_id, webhook, game, kind, facts, links)
        for kind, facts, links in wanted
        if kind in webhook.types
    )
    if not pending:
        return replace(webhook, cursor=game.version, acting=acting)
    return replace(webhook, pending=pending, acting_then=acting)


def _seats_that_moved(entries: Sequence[Entry]) -> set[int]:
    """Returns the seats that sent commands of the game played."""
    metas = [decode_meta(entry) for entry in entries]
    return {
        step.seat
        for meta in metas
        if meta is not None
        for step in meta.steps
        if step.seat is not None
        and step.command is not None
        and step.command["type"] not in COMMANDS
    }


def _build_message(
    webhook_id: str,
    webhook: Webhook,
    game: Game,
    kind: str,
    facts: dict[str, Any],
    links: dict[str, str],
) -> Message:
    digest = hashlib.sha256(f"{game.id}\0{webhook_id}\0{game.version}\0{kind}".encode()).digest()
    at = game.table.changed_at
    body = {
        "type": kind,
        "timestamp": datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds"),
        "data": {
            "webhook": webhook_id,
            "game": game.id,
            "ruleset": game.ruleset.id,
            "version": game.version,
            **facts,
            "links": {"game": f"/v1/games/{game.id}", **links},
        },
    }
    return Message(
        "msg_" + ids.encode_id(digest),
        kind,
        webhook.cursor,
        game.version,
        at,
        orjson.dumps(body).decode(),
    )
