"""The model of webhooks as the store keeps them beside their game: receiver, secrets, cursor.

Secrets are in the store because every message is signed with them; nothing here exposes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from hmac import compare_digest
from typing import Any, Final, NamedTuple

import orjson

from ...store import Store, StoredWebhook, WebhookChange

MAX_SECRETS: Final = 3
"""How many secrets sign at the same time while rotations overlap."""

MAX_ATTEMPTS: Final = 20
"""How often a change is retried after a conflict."""


class WebhookConflict(Exception):
    """Too many conflicting changes in a row; nothing was written."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to be delivered: about the versions after `after` up to `version`, appended at `at`

    (ms since 1970). Retries have the same `id` and the same `body`, byte for byte.
    """

    id: str
    type: str
    after: int
    version: int
    at: int
    body: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook. Times are ms since 1970.

    `owner` is the hash of a client's token. `secrets` are the newest first, each with the time
    until which it signs (None: for good). Everything up to version `cursor` has been delivered;
    `acting` are the owner's seats that had to act then. `pending` are the next messages in order;
    once they are delivered, `acting_then` becomes `acting`. `failures` counts the failed attempts
    at the first of them, `next_at` is when it is retried. `sent` is the number of the last attempt,
    `replays` are the numbers of deliveries to be sent again.
    """

    owner: str
    url: str = field(repr=False)
    types: tuple[str, ...]
    secrets: tuple[tuple[str, int | None], ...] = field(repr=False)
    made: int
    cursor: int
    acting: tuple[int, ...] = ()
    pending: tuple[Message, ...] = ()
    acting_then: tuple[int, ...] = ()
    failures: int = 0
    next_at: int | None = None
    disabled: str | None = None
    sent: int = 0
    replays: tuple[int, ...] = ()


class WebhookRecord(NamedTuple):
    """A webhook with its id, and in its stored form."""

    id: str
    webhook: Webhook
    stored: StoredWebhook


class Change(NamedTuple):
    """What a webhook becomes (None: it is removed), from when its work is due (None: as its cursor

    says; `keep_due`: as before), and a delivery to be kept.
    """

    webhook: Webhook | None
    due: int | None = None
    delivery: tuple[int, bytes] | None = None
    keep_due: bool = False


def active_secrets(webhook: Webhook, now: int) -> list[str]:
    """Returns the secrets that sign at a time (ms since 1970), the newest first."""
    return [secret for secret, until in webhook.secrets if until is None or now < until]


def with_new_secret(webhook: Webhook, secret: str, now: int, overlap: int) -> Webhook:
    """Returns the webhook with a new secret; the present one signs for `overlap` ms more.

    The present secret given again changes nothing.
    """
    if compare_digest(secret, webhook.secrets[0][0]):
        return webhook
    until = now + overlap
    older = tuple(
        (each, until if end is None else min(end, until))
        for each, end in webhook.secrets
        if not compare_digest(each, secret) and (end is None or now < end)
    )
    return replace(webhook, secrets=((secret, None), *older)[:MAX_SECRETS])


def encode_webhook(webhook_id: str, webhook: Webhook) -> StoredWebhook:
    """Returns a webhook's stored form; a disabled one has no cursor, so that no work is due."""
    cursor = None if webhook.disabled else webhook.cursor
    return StoredWebhook(webhook_id, cursor, orjson.dumps(asdict(webhook)))


def decode_webhook(stored: StoredWebhook) -> WebhookRecord:
    """Returns a webhook from its stored form."""
    data: dict[str, Any] = orjson.loads(stored.data)
    data["pending"] = tuple(Message(**each) for each in data["pending"])
    data["secrets"] = tuple((secret, until) for secret, until in data["secrets"])
    for name in ("types", "acting", "acting_then", "replays"):
        data[name] = tuple(data[name])
    return WebhookRecord(stored.id, Webhook(**data), stored)


def list_webhooks(store: Store, game: str) -> list[WebhookRecord]:
    """Returns the game's webhooks, oldest first."""
    found = [decode_webhook(stored) for stored in store.list_webhooks(game)]
    return sorted(found, key=lambda each: (each.webhook.made, each.id))


def find_webhook(store: Store, game: str, webhook_id: str) -> WebhookRecord | None:
    """Returns one webhook of a game; None where there is none with this id."""
    return next(
        (decode_webhook(stored) for stored in store.list_webhooks(game) if stored.id == webhook_id),
        None,
    )


ChangeFunction = Callable[[Webhook], Change | None]
"""Returns what a webhook becomes; None: it stays as it is."""


def change_webhook(
    store: Store, game: str, webhook_id: str, change: ChangeFunction
) -> WebhookRecord | None:
    """Changes a webhook to what `change` returns for its present state, retrying on a conflict.

    Returns the webhook after that; None where it does not exist (any more). Raises
    `WebhookConflict` after `MAX_ATTEMPTS` conflicts, and as the store does.
    """
    for _ in range(MAX_ATTEMPTS):
        found = find_webhook(store, game, webhook_id)
        if found is None:
            return None
        wanted = change(found.webhook)
        if wanted is None:
            return found
        after = None if wanted.webhook is None else encode_webhook(webhook_id, wanted.webhook)
        stored_change = WebhookChange(
            game,
            webhook_id,
            found.stored,
            after,
            due_at=wanted.due,
            keep_due=wanted.keep_due,
            delivery=wanted.delivery,
        )
        if store.change_webhook(stored_change) is True:
            return None if after is None else decode_webhook(after)
    raise WebhookConflict(f"the webhook {webhook_id} of game {game} changes too often")


def transfer_webhooks(store: Store, game: str, old: str, new: str) -> None:
    """Makes a token (its hash) the owner of another one's webhooks of a game. Can be repeated."""

    def change_owner(webhook: Webhook) -> Change | None:
        if not compare_digest(webhook.owner, old):
            return None
        return Change(replace(webhook, owner=new), keep_due=True)

    for each in list_webhooks(store, game):
        change_webhook(store, game, each.id, change_owner)
