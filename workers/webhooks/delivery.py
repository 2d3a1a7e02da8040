"""Webhook delivery: messages are sent in order, at least once, signed, with retries.

The next messages are stored beside the game before they are sent, so that a retry sends the same
under the same id. Every attempt ends in one change: the cursor moves on, or the next attempt has
its time. A worker may die at any moment; its work is due again when the lease ends.
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

from .http_client import Response, post

if TYPE_CHECKING:
    from ..context import WorkerContext

log = logging.getLogger(__name__)

RETRY_SCHEDULE: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds from each failed attempt to the next, as in Standard Webhooks; then the webhook is

disabled.
"""

JITTER: Final = 0.1
"""Each wait is longer by up to this part of itself, so that retries spread out."""

THROTTLED: Final = (429, 502, 504)
MIN_THROTTLED_WAIT: Final = 60
"""Seconds at least until the next attempt where a receiver is overloaded (`THROTTLED`)."""

LEASE: Final = 30_000
"""For how long (ms) an attempt belongs to the worker that makes it: longer than any takes."""

MAX_MESSAGES: Final = 50
MAX_SECONDS: Final = 20.0
"""How many messages, and for how long (s), one webhook gets before others have their turn."""


def deliver(context: WorkerContext, game_id: str, webhook_id: str) -> int:
    """Delivers a webhook's due messages. Returns how many attempts were made.

    Raises as the store does; whatever is left is still on the due list.
    """
    with tracing.traced(game=game_id, kind=webhook_work_kind(webhook_id)):
        return _deliver(context, game_id, webhook_id)


def _deliver(context: WorkerContext, game_id: str, webhook_id: str) -> int:
    store = context.command_handler.store
    limit = time.monotonic() + MAX_SECONDS
    attempts = 0
    while attempts < MAX_MESSAGES and time.monotonic() < limit:
        record = webhook_model.find_webhook(store, game_id, webhook_id)
        if record is None or record.webhook.disabled:
            store.set_due(game_id, webhook_work_kind(webhook_id), None)
            break
        webhook, now = record.webhook, store.now()
        if webhook.replays:
            store.extend_lease(game_id, webhook_work_kind(webhook_id), now + LEASE)
            _replay(context, game_id, record)
            attempts += 1
        elif webhook.next_at is not None and now < webhook.next_at:
            store.extend_lease(game_id, webhook_work_kind(webhook_id), webhook.next_at)
            break
        elif webhook.pending:
            store.extend_lease(game_id, webhook_work_kind(webhook_id), now + LEASE)
            attempts += 1
            if not _attempt(context, game_id, record):
                break
        elif not _store_next_messages(context, game_id, record):
            break
    return attempts


def _store_next_messages(context: WorkerContext, game_id: str, record: WebhookRecord) -> bool:
    """Stores the next messages. Returns False where nothing happened since the cursor."""
    repository, store = context.command_handler.repository, context.command_handler.store
    try:
        game = repository.load(game_id).game
    except (Gone, UnknownGame):
        return False
    tracing.note(request=game.request)
    entries = repository.read_entries(game_id, record.webhook.cursor + 1, game.version)
    after = record.webhook
    if entries:
        after = with_pending_messages(record.id, record.webhook, game, entries)
    due = store.now() + LEASE if after.pending else None
    stored = webhook_model.encode_webhook(record.id, after)
    store.change_webhook(WebhookChange(game_id, record.id, record.stored, stored, due))
    if after.disabled:
        _log_disabled(context, game_id, record.id, after.disabled)
    return bool(entries)


def _attempt(context: WorkerContext, game_id: str, record: WebhookRecord) -> bool:
    """Sends the first pending message and stores the outcome. Returns whether it was delivered."""
    webhook = record.webhook
    message = webhook.pending[0]
    response = _send(context, record, message.id, message.body)
    now = context.command_handler.store.now()
    delivered = response.status is not None and 200 <= response.status < 300
    gone = response.status == 410
    wait = retry_delay(webhook.failures, response, context.generator)
    disabled = (
        None
        if delivered
        else webhook_types.GONE
        if gone
        else webhook_types.EXHAUSTED
        if wait is None
        else None
    )
    outcome = "delivered" if delivered else "disabled" if disabled else "failed"

    def with_outcome(present: Webhook) -> Change:
        number = present.sent + 1
        line = _delivery_line(number, message, now, webhook.failures, response, outcome)
        after, due = replace(present, sent=number), None
        if present.pending[:1] == (message,):  # else another worker sent it first
            if delivered:
                after = _without_first(after)
                due = now + LEASE if after.pending else None
            else:
                next_at = None if wait is None else now + wait
                due = now if present.replays else next_at
                after = replace(
                    after, failures=webhook.failures + 1, next_at=next_at, disabled=disabled
                )
        return Change(after, due, (number, line))

    webhook_model.change_webhook(context.command_handler.store, game_id, record.id, with_outcome)
    log.info("webhook %s of game %s: %s %s", record.id, game_id, message.id, outcome)
    lag = now - message.at if delivered else None
    context.command_handler.store.add_counts(
        webhook_counters.attempt_counts(outcome, webhook.failures > 0, lag)
    )
    if disabled:
        _log_disabled(context, game_id, record.id, disabled)
    return delivered


def _without_first(webhook: Webhook) -> Webhook:
    """Returns the webhook after its first pending message was delivered."""
    first, rest = webhook.pending[0], webhook.pending[1:]
    after = replace(webhook, pending=rest, failures=0, next_at=None)
    if rest:
        return after
    return replace(after, cursor=first.version, acting=webhook.acting_then)


def _replay(context: WorkerContext, game_id: str, record: WebhookRecord) -> None:
    """Sends the first of the deliveries to be replayed, once; the outcome is only recorded."""
    store = context.command_handler.store
    number_wanted = record.webhook.replays[0]
    line = store.get_deliveries(game_id, record.id, number_wanted, number_wanted).get(number_wanted)
    old = None if line is None else parse_delivery(line)  # it may have been dropped for newer ones
    response = None if old is None else _send(context, record, old.message, old.body)
    now = store.now()
    delivered = (
        response is not None and response.status is not None and 200 <= response.status < 300
    )
    outcome = "delivered" if delivered else "failed"

    def with_outcome(present: Webhook) -> Change:
        left = tuple(number for number in present.replays if number != number_wanted)
        after = replace(present, replays=left)
        due = now + LEASE if left else after.next_at
        if old is None or response is None:
            return Change(after, due)
        number = present.sent + 1
        message = Message(old.message, old.type, old.after, old.version, old.at, old.body)
        replayed = _delivery_line(number, message, now, 0, response, outcome, replay=True)
        return Change(replace(after, sent=number), due, (number, replayed))

    webhook_model.change_webhook(store, game_id, record.id, with_outcome)
    if response is not None:
        store.add_counts(webhook_counters.attempt_counts(outcome, False, None))


def _send(context: WorkerContext, record: WebhookRecord, message_id: str, body: str) -> Response:
    webhook = record.webhook
    try:
        target = parse_target(webhook.url, context.local)
    except ValueError:  # the settings have changed since it was added
        return Response(None, "refused_address", None, 0)
    now = context.command_handler.store.now()
    timestamp = now // 1000
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"bailli/{importlib.metadata.version('bailli')}",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": webhook_signing.signature_header(
            webhook_model.active_secrets(webhook, now), message_id, timestamp, body
        ),
    }
    return post(target, headers, body.encode(), local=context.local)


def retry_delay(failures: int, response: Response, generator: random.Random) -> int | None:
    """Returns the wait (ms) until the next attempt after one more failure; None: no more attempts.

    `failures` is the number of earlier ones. Retry-After counts where it is longer than the
    schedule's wait.
    """
    if failures >= len(RETRY_SCHEDULE):
        return None
    wait = RETRY_SCHEDULE[failures] * (1 + JITTER * generator.random())
    if response.status in THROTTLED:
        wait = max(wait, MIN_THROTTLED_WAIT * (1 + JITTER * generator.random()))
    return round(max(wait, response.retry_after or 0) * 1000)


def _delivery_line(
    number: int,
    message: Message,
    now: int,
    failures: int,
    response: Response,
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
                response.status,
                response.fault,
                response.ms,
                outcome,
                message.body,
            )
        )
    )


def _log_disabled(context: WorkerContext, game_id: str, webhook_id: str, reason: str) -> None:
    log.warning("webhook %s of game %s is disabled: %s", webhook_id, game_id, reason)
    context.command_handler.store.add_counts(webhook_counters.disabling_counts(reason))
