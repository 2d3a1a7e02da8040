"""The service of webhooks: clients add, list, remove and enable them, rotate secrets, replay.

Host and seats may have webhooks of a game; each sees only its own.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import Final

import orjson

from ...store import KeyTaken, KeyUse, Store, WebhookChange
from .. import authorization, ids, tokens
from ..commands.conflict_retry import MAX_ATTEMPTS
from ..commands.errors import Busy, CommandError, Forbidden, NotVisible
from ..commands.idempotent_replay import check_same_request
from ..commands.requests import RequestContext
from ..game import Game
from ..repository import Repository
from . import model as webhook_model
from .model import Change, Webhook, WebhookRecord
from .signing import new_secret

MAX_PER_GAME: Final = 16
MAX_PER_CLIENT: Final = 4
"""How many webhooks a game, and one client in it, may have."""

MAX_REPLAYS: Final = 10
"""How many deliveries of a webhook may wait to be sent again."""


class TooManyWebhooks(CommandError):
    """The game, the client in it, or the webhook has as many webhooks or replays as it may."""


class WebhookDisabled(CommandError):
    """The webhook is disabled: nothing is sent until it is enabled."""


class UnknownWebhook(CommandError):
    """The caller has no such webhook, or no such delivery is kept."""


class RemovedWebhook(CommandError):
    """The webhook that this request had added was removed since."""


@dataclass(frozen=True, slots=True)
class AddedWebhook:
    """A webhook that was added, or (`replayed`) had been added by the same request before."""

    record: WebhookRecord
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """An attempt to deliver a message, as it is stored.

    `message` is the message's id, `at` the time of its append and `told_at` the time of the attempt
    (ms since 1970), its `attempt`-th one; `status` is the receiver's or `fault` what went wrong
    instead, after `ms`. The `outcome` is "delivered", "failed" or "disabled"; `body` is what was
    sent.
    """

    number: int
    message: str
    type: str
    after: int
    version: int
    at: int
    told_at: int
    attempt: int
    replay: bool
    status: int | None
    fault: str | None
    ms: int
    outcome: str
    body: str


class WebhookService:
    """Carries out clients' requests about webhooks. Stateless; safe to share."""

    def __init__(self, store: Store, repository: Repository) -> None:
        self._store = store
        self._repository = repository

    def add(
        self,
        game_id: str,
        url: str,
        types: tuple[str, ...],
        secret: str | None,
        request: RequestContext,
    ) -> AddedWebhook:
        """Adds a webhook for everything that happens from now on.

        Raises `TooManyWebhooks`, `RemovedWebhook`, `KeyReused`, `Forbidden`, `NotVisible`, `Busy`,
        and as repository and store do.
        """
        key = request.store_key
        caller = request.caller or ""
        webhook_id = _derive_webhook_id(
            secrets.token_bytes(16) if key is None else key.name.encode() + game_id.encode()
        )
        for _ in range(MAX_ATTEMPTS):
            loaded = self._repository.load(game_id, key.name if key else None)
            _check_access(loaded.game, caller)
            if loaded.key_use is not None:
                return self._replay_addition(game_id, webhook_id, loaded.key_use, request)
            present = webhook_model.list_webhooks(self._store, game_id)
            own_count = sum(tokens.same_hash(each.webhook.owner, caller) for each in present)
            if len(present) >= MAX_PER_GAME or own_count >= MAX_PER_CLIENT:
                raise TooManyWebhooks
            webhook = Webhook(
                caller,
                url,
                types,
                ((secret or new_secret(), None),),
                loaded.now,
                loaded.game.version,
            )
            stored = webhook_model.encode_webhook(webhook_id, webhook)
            change = WebhookChange(
                game_id, webhook_id, None, stored, expected_count=len(present), key=key
            )
            changed = self._store.change_webhook(change)
            if isinstance(changed, KeyTaken):
                return self._replay_addition(game_id, webhook_id, changed.use, request)
            if changed:
                return AddedWebhook(webhook_model.decode_webhook(stored))
        raise Busy

    def list_webhooks(self, game_id: str, caller: str) -> list[WebhookRecord]:
        """Returns the caller's webhooks of a game, oldest first. Raises `Forbidden` or

        `NotVisible`.
        """
        _check_access(self._repository.load(game_id).game, caller)
        found = webhook_model.list_webhooks(self._store, game_id)
        return [each for each in found if tokens.same_hash(each.webhook.owner, caller)]

    def find(self, game_id: str, webhook_id: str, caller: str) -> WebhookRecord:
        """Returns one of the caller's webhooks.

        Raises `UnknownWebhook`, `Forbidden` or `NotVisible`.
        """
        for each in self.list_webhooks(game_id, caller):
            if each.id == webhook_id:
                return each
        raise UnknownWebhook

    def remove(self, game_id: str, webhook_id: str, caller: str) -> None:
        """Removes a webhook with its deliveries. Raises as `find` does."""
        self.find(game_id, webhook_id, caller)
        webhook_model.change_webhook(self._store, game_id, webhook_id, lambda _: Change(None))

    def rotate_secret(
        self, game_id: str, webhook_id: str, secret: str | None, overlap: int, caller: str
    ) -> tuple[WebhookRecord, str]:
        """Gives a webhook a new secret; the present one signs beside it for `overlap` ms.

        Returns the webhook and the secret. Raises as `find` does.
        """
        self.find(game_id, webhook_id, caller)
        chosen = secret or new_secret()
        now = self._store.now()
        changed = self._change(
            game_id,
            webhook_id,
            lambda webhook: Change(
                webhook_model.with_new_secret(webhook, chosen, now, overlap), keep_due=True
            ),
        )
        return changed, chosen

    def enable(self, game_id: str, webhook_id: str, caller: str) -> WebhookRecord:
        """Enables a webhook again: what is pending is attempted at once. Raises as `find` does."""
        self.find(game_id, webhook_id, caller)

        def enabled(webhook: Webhook) -> Change:
            return Change(replace(webhook, disabled=None, failures=0, next_at=None))

        return self._change(game_id, webhook_id, enabled)

    def replay_delivery(
        self, game_id: str, webhook_id: str, number: int, caller: str
    ) -> WebhookRecord:
        """Lets a delivery be sent again, once, under the same message id.

        Raises `WebhookDisabled`, `TooManyWebhooks`, and as `find` does.
        """
        self.find(game_id, webhook_id, caller)
        if number not in self._store.get_deliveries(game_id, webhook_id, number, number):
            raise UnknownWebhook
        now = self._store.now()

        def with_replay(webhook: Webhook) -> Change | None:
            if webhook.disabled:
                raise WebhookDisabled
            if number in webhook.replays:
                return None
            if len(webhook.replays) >= MAX_REPLAYS:
                raise TooManyWebhooks
            return Change(replace(webhook, replays=(*webhook.replays, number)), now)

        return self._change(game_id, webhook_id, with_replay)

    def list_deliveries(
        self, game_id: str, webhook_id: str, before: int | None, limit: int, caller: str
    ) -> list[Delivery]:
        """Returns a webhook's deliveries numbered below `before`, newest first, as far as they are

        kept. Raises as `find` does.
        """
        sent = self.find(game_id, webhook_id, caller).webhook.sent
        last = sent if before is None else min(before - 1, sent)
        kept = self._store.get_deliveries(game_id, webhook_id, max(1, last - limit + 1), last)
        return [parse_delivery(kept[number]) for number in sorted(kept, reverse=True)]

    def _change(
        self, game_id: str, webhook_id: str, change: webhook_model.ChangeFunction
    ) -> WebhookRecord:
        changed = webhook_model.change_webhook(self._store, game_id, webhook_id, change)
        if changed is None:
            raise UnknownWebhook
        return changed

    def _replay_addition(
        self, game_id: str, webhook_id: str, use: KeyUse, request: RequestContext
    ) -> AddedWebhook:
        check_same_request(use, request)
        found = webhook_model.find_webhook(self._store, game_id, webhook_id)
        if found is None:
            raise RemovedWebhook
        return AddedWebhook(found, replayed=True)


def parse_delivery(line: bytes) -> Delivery:
    """Returns a delivery from its stored form."""
    return Delivery(**orjson.loads(line))


def _check_access(game: Game, caller: str) -> None:
    if not authorization.may_read(game.table, caller):
        raise NotVisible(game.id)
    if not authorization.is_host(game.table, caller) and not authorization.seats_of(
        game.table, caller
    ):
        raise Forbidden("webhooks are for host and seats")


def _derive_webhook_id(bits: bytes) -> str:
    return ids.encode_id(hashlib.sha256(bits).digest(), 16)
