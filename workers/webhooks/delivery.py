"""Telling a webhook what it has not been told yet: in order, at least once, signed.

What is told next is written beside the game before it is sent, so that whoever sends it again
sends the same under the same id. Every attempt ends in one change: the cursor moves on, or the next
attempt has its time. A worker may die at any moment; the due list brings the work back.
"""

from __future__ import annotations

import importlib.metadata
import logging
import random
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

import orjson

from service.games import tracing
from service.games.repository import UnknownGame
from service.games.webhooks import counters as webhook_counters
from service.games.webhooks import model as webhook_model
from service.games.webhooks import signing as webhook_signing
from service.games.webhooks import types as webhook_types
from service.games.webhooks.addresses import parse_target
from service.games.webhooks.messages import with_pending_messages
from service.games.webhooks.model import Change, Message, Webhook, WebhookRecord
from service.games.webhooks.service import Delivery, parse_delivery
from service.store import Gone, WebhookChange, webhook_work_kind

from .http_client import Answer, post

if TYPE_CHECKING:
    from ..context import WorkerContext

log = logging.getLogger(__name__)

SCHEDULE: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds from each failed attempt to the next, as Standard Webhooks has it; then it is over."""

JITTER: Final = 0.1
"""Each wait is longer by up to this part of itself, so that not all come back at once."""

THROTTLED: Final = (429, 502, 504)
BREATH: Final = 60
"""Seconds that a receiver which has too much to do is left alone at least."""

LEASE: Final = 30_000
"""How long (ms) an attempt is left to the worker that makes it: longer than any takes."""

MAX_MESSAGES: Final = 50
MAX_SECONDS: Final = 20.0
"""So many messages or so long for one webhook; then others have their turn."""


def deliver(context: WorkerContext, game_id: str, own: str) -> int:
    """Tells a webhook what it must be told now. Returns how many attempts were made.

    Raises as the store does; whatever is left undone is still on the due list.
    """
    with tracing.traced(game=game_id, kind=webhook_work_kind(own)):
        return _deliver(context, game_id, own)


def _deliver(context: WorkerContext, game_id: str, own: str) -> int:
    store = context.command_handler.store
    limit = time.monotonic() + MAX_SECONDS
    attempts = 0
    while attempts < MAX_MESSAGES and time.monotonic() < limit:
        held = webhook_model.find_webhook(store, game_id, own)
        if held is None or held.webhook.disabled:
            store.set_due(game_id, webhook_work_kind(own), None)
            break
        webhook, now = held.webhook, store.now()
        if webhook.replays:
            store.extend_lease(game_id, webhook_work_kind(own), now + LEASE)
            _replay(context, game_id, held)
            attempts += 1
        elif webhook.next_at is not None and now < webhook.next_at:
            store.extend_lease(game_id, webhook_work_kind(own), webhook.next_at)
            break
        elif webhook.pending:
            store.extend_lease(game_id, webhook_work_kind(own), now + LEASE)
            attempts += 1
            if not _attempt(context, game_id, held):
                break
        elif not _prepare(context, game_id, held):
            break
    return attempts


def _prepare(context: WorkerContext, game_id: str, held: WebhookRecord) -> bool:
    """Writes down what is told next. Returns False where there is nothing (any more)."""
    repository, store = context.command_handler.repository, context.command_handler.store
    try:
        game = repository.load(game_id).game
    except (Gone, UnknownGame):
        return False
    tracing.note(request=game.request)
    entries = repository.read_entries(game_id, held.webhook.cursor + 1, game.version)
    after = held.webhook
    if entries:
        after = with_pending_messages(held.id, held.webhook, game, entries)
    due = store.now() + LEASE if after.pending else None
    stored = webhook_model.encode_webhook(held.id, after)
    store.change_webhook(WebhookChange(game_id, held.id, held.stored, stored, due))
    if after.disabled:
        _log_disabled(context, game_id, held.id, after.disabled)
    return bool(entries)


def _attempt(context: WorkerContext, game_id: str, held: WebhookRecord) -> bool:
    """Tells the first of what is pending. Returns whether it was taken."""
    webhook = held.webhook
    message = webhook.pending[0]
    answer = _send(context, held, message.id, message.body)
    now = context.command_handler.store.now()
    taken = answer.status is not None and 200 <= answer.status < 300
    gone = answer.status == 410
    wait = retry_delay(webhook.failures, answer, context.generator)
    disabled = (
        None
        if taken
        else webhook_types.GONE
        if gone
        else webhook_types.EXHAUSTED
        if wait is None
        else None
    )
    outcome = "delivered" if taken else "disabled" if disabled else "failed"

    def settled(present: Webhook) -> Change:
        number = present.sent + 1
        line = _delivery_line(number, message, now, webhook.failures, answer, outcome)
        after, due = replace(present, sent=number), None
        if present.pending[:1] == (message,):  # else another worker was faster
            if taken:
                after = _without_first(after)
                due = now + LEASE if after.pending else None
            else:
                next_at = None if wait is None else now + wait
                due = now if present.replays else next_at
                after = replace(
                    after, failures=webhook.failures + 1, next_at=next_at, disabled=disabled
                )
        return Change(after, due, (number, line))

    webhook_model.change_webhook(context.command_handler.store, game_id, held.id, settled)
    log.info("webhook %s of game %s: %s %s", held.id, game_id, message.id, outcome)
    lag = now - message.at if taken else None
    context.command_handler.store.add_counts(
        webhook_counters.attempt_counts(outcome, webhook.failures > 0, lag)
    )
    if disabled:
        _log_disabled(context, game_id, held.id, disabled)
    return taken


def _without_first(webhook: Webhook) -> Webhook:
    """Returns the webhook once the first of what is pending was taken."""
    first, rest = webhook.pending[0], webhook.pending[1:]
    after = replace(webhook, pending=rest, failures=0, next_at=None)
    if rest:
        return after
    return replace(after, cursor=first.version, acting=webhook.acting_then)


def _replay(context: WorkerContext, game_id: str, held: WebhookRecord) -> None:
    """Sends the first delivery that is wanted again, once; whatever comes of it is only noted."""
    store = context.command_handler.store
    wanted = held.webhook.replays[0]
    line = store.get_deliveries(game_id, held.id, wanted, wanted).get(wanted)
    old = None if line is None else parse_delivery(line)  # it may have made room for newer ones
    answer = None if old is None else _send(context, held, old.message, old.body)
    now = store.now()
    taken = answer is not None and answer.status is not None and 200 <= answer.status < 300
    outcome = "delivered" if taken else "failed"

    def settled(present: Webhook) -> Change:
        left = tuple(number for number in present.replays if number != wanted)
        after = replace(present, replays=left)
        due = now + LEASE if left else after.next_at
        if old is None or answer is None:
            return Change(after, due)
        number = present.sent + 1
        message = Message(old.message, old.type, old.after, old.version, old.at, old.body)
        noted = _delivery_line(number, message, now, 0, answer, outcome, replay=True)
        return Change(replace(after, sent=number), due, (number, noted))

    webhook_model.change_webhook(store, game_id, held.id, settled)
    if answer is not None:
        store.add_counts(webhook_counters.attempt_counts(outcome, False, None))


def _send(context: WorkerContext, held: WebhookRecord, message_id: str, body: str) -> Answer:
    webhook = held.webhook
    try:
        where = parse_target(webhook.url, context.local)
    except ValueError:  # the settings have changed since it was made
        return Answer(None, "refused_address", None, 0)
    now = context.command_handler.store.now()
    timestamp = now // 1000
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"bailli/{importlib.metadata.version('bailli')}",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": webhook_signing.signature(
            webhook_model.active_secrets(webhook, now), message_id, timestamp, body
        ),
    }
    return post(where, headers, body.encode(), local=context.local)


def retry_delay(failures: int, answer: Answer, generator: random.Random) -> int | None:
    """Returns for how long (ms) nothing is tried after one more failure; None: it is given up.

    Retry-After is honoured where it asks for more than the schedule.
    """
    if failures >= len(SCHEDULE):
        return None
    wait = SCHEDULE[failures] * (1 + JITTER * generator.random())
    if answer.status in THROTTLED:
        wait = max(wait, BREATH * (1 + JITTER * generator.random()))
    return round(max(wait, answer.retry_after or 0) * 1000)


def _delivery_line(
    number: int,
    message: Message,
    now: int,
    failures: int,
    answer: Answer,
    outcome: str,
    replay: bool = False,
) -> bytes:
    return orjson.dumps(
        asdict(
            Delivery(
                number,
                message.id,
                message.type,
                message.after,
                message.version,
                message.at,
                now,
                failures + 1,
                replay,
                answer.status,
                answer.fault,
                answer.ms,
                outcome,
                message.body,
            )
        )
    )


def _log_disabled(context: WorkerContext, game_id: str, own: str, why: str) -> None:
    log.warning("webhook %s of game %s is disabled: %s", own, game_id, why)
    context.command_handler.store.add_counts(webhook_counters.disabling_counts(why))
