"""A webhook as it is kept beside its game: what is told where, with which secrets, how far.

Secrets stand in the store since every message is signed with them; nothing here shows them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from hmac import compare_digest
from typing import Any, Final, NamedTuple

import orjson

from ...store import Store, StoredWebhook, WebhookChange

MAX_SECRETS: Final = 3
"""So many secrets sign at once while they overlap."""

MAX_TRIES: Final = 20


class WebhookConflict(Exception):
    """Others changed the webhook first, every time; nothing was written."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is told once: `id` names it, on retries too; it tells of versions after … version,

    written at `at` (ms). `body` is what is sent, byte for byte.
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
    until which it signs (None: for good). All up to version `cursor` has been told; `acting` are
    the owner's seats that had to act then. `pending` is what is told next, in order; `acting_then`
    will be `acting` when it is. `failures` counts the failed attempts at the first of it, `next_at`
    is when it is tried again. `sent` numbers the attempts, `replays` are those to be sent again.
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
    """A webhook with its id, and as the store has it."""

    id: str
    webhook: Webhook
    stored: StoredWebhook


class Change(NamedTuple):
    """What a webhook becomes (None: it goes), from when it is owed (None: as the stream says;

    `keep`: as before), and a delivery to be kept.
    """

    webhook: Webhook | None
    due: int | None = None
    delivery: tuple[int, bytes] | None = None
    keep: bool = False


def active_secrets(webhook: Webhook, now: int) -> list[str]:
    """Returns the secrets that sign at a time, the newest first."""
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


def encode_webhook(own: str, webhook: Webhook) -> StoredWebhook:
    """Returns the webhook as the store takes it: a disabled one sleeps."""
    cursor = None if webhook.disabled else webhook.cursor
    return StoredWebhook(own, cursor, orjson.dumps(asdict(webhook)))


def decode_webhook(hook: StoredWebhook) -> WebhookRecord:
    """Returns what the store has as a webhook."""
    data: dict[str, Any] = orjson.loads(hook.data)
    data["pending"] = tuple(Message(**each) for each in data["pending"])
    data["secrets"] = tuple((secret, until) for secret, until in data["secrets"])
    for name in ("types", "acting", "acting_then", "replays"):
        data[name] = tuple(data[name])
    return WebhookRecord(hook.id, Webhook(**data), hook)


def list_webhooks(store: Store, game: str) -> list[WebhookRecord]:
    """Returns the game's webhooks, oldest first."""
    found = [decode_webhook(hook) for hook in store.list_webhooks(game)]
    return sorted(found, key=lambda each: (each.webhook.made, each.id))


def find_webhook(store: Store, game: str, own: str) -> WebhookRecord | None:
    """Returns one webhook of a game, if it has it."""
    return next(
        (decode_webhook(hook) for hook in store.list_webhooks(game) if hook.id == own), None
    )


ChangeFunction = Callable[[Webhook], Change | None]
"""Says what a webhook becomes; None: it stays."""


def change_webhook(store: Store, game: str, own: str, how: ChangeFunction) -> WebhookRecord | None:
    """Changes a webhook to what `how` says of it as it is then; None from it: nothing is changed.

    Returns the webhook as it is then; None where it is not there (any more). Raises as the store
    does, `Contended` where others are always faster.
    """
    for _ in range(MAX_TRIES):
        found = find_webhook(store, game, own)
        if found is None:
            return None
        wanted = how(found.webhook)
        if wanted is None:
            return found
        after = None if wanted.webhook is None else encode_webhook(own, wanted.webhook)
        asked = WebhookChange(
            game,
            own,
            found.stored,
            after,
            due_at=wanted.due,
            keep_due=wanted.keep,
            delivery=wanted.delivery,
        )
        if store.change_webhook(asked) is True:
            return None if after is None else decode_webhook(after)
    raise WebhookConflict(f"the webhook {own} of game {game} changes too often")


def transfer_webhooks(store: Store, game: str, old: str, new: str) -> None:
    """Gives the webhooks of one token (hash) to another. Can be repeated."""

    def given(webhook: Webhook) -> Change | None:
        if not compare_digest(webhook.owner, old):
            return None
        return Change(replace(webhook, owner=new), keep=True)

    for each in list_webhooks(store, game):
        change_webhook(store, game, each.id, given)
