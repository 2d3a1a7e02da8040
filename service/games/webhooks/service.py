"""What clients ask of webhooks: add, look, remove, take a new secret, send again.

Host and seats may have webhooks of a game; each sees only its own. Errors besides the store's and
those of `handling`:

    HandlingError
      Full           the game, or the client in it, has as many webhooks as there may be
      Asleep         the webhook is disabled: nothing is sent until it is enabled
      UnknownHook    the caller has no such webhook, or no such delivery is kept
      RemovedHook    the webhook that a repeated request made is no longer there
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
from ..commands.errors import Busy, CommandError, Forbidden, KeyReused, NotVisible
from ..commands.requests import RequestContext
from ..game import Game
from ..repository import Repository
from . import model as webhook_model
from .model import Change, Webhook, WebhookRecord
from .signing import new_secret

MAX_HOOKS: Final = 16
MAX_OWN: Final = 4
"""Webhooks of a game, and of one client in it."""

MAX_REPLAYS: Final = 10
"""Deliveries that wait to be sent again."""


class TooManyWebhooks(CommandError):
    """There are as many as there may be."""


class WebhookDisabled(CommandError):
    """The webhook is disabled."""


class UnknownWebhook(CommandError):
    """There is no such webhook or delivery for the caller."""


class RemovedWebhook(CommandError):
    """The webhook that this request made was removed."""


@dataclass(frozen=True, slots=True)
class AddedWebhook:
    """A webhook that was made, or (`replayed`) had been made by the same request before."""

    held: WebhookRecord
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """An attempt to tell something.

    `message` is the message's id, `at` when it happened and `told_at` when it was tried (ms), the
    `attempt`-th time; `status` what was answered or `fault` what went wrong instead, after `ms`.
    The `outcome` is "delivered", "failed" or "disabled"; `body` is what was sent.
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
    """Carries out what clients ask of webhooks. Stateless; safe to share."""

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
        """Adds a webhook that is told what happens from now on. Raises `Full`, `RemovedHook`,

        `KeyReused`, `Forbidden`, `Hidden`, `Busy`, and as repository and store do.
        """
        key = request.store_key
        caller = request.caller or ""
        own = _webhook_id(
            secrets.token_bytes(16) if key is None else key.name.encode() + game_id.encode()
        )
        for _ in range(MAX_ATTEMPTS):
            loaded = self._repository.load(game_id, key.name if key else None)
            _check_access(loaded.game, caller)
            if loaded.key_use is not None:
                return self._again(game_id, own, loaded.key_use, request)
            present = webhook_model.list_webhooks(self._store, game_id)
            owned = sum(tokens.same_hash(each.webhook.owner, caller) for each in present)
            if len(present) >= MAX_HOOKS or owned >= MAX_OWN:
                raise TooManyWebhooks
            webhook = Webhook(
                caller,
                url,
                types,
                ((secret or new_secret(), None),),
                loaded.now,
                loaded.game.version,
            )
            stored = webhook_model.encode_webhook(own, webhook)
            asked = WebhookChange(game_id, own, None, stored, expected_count=len(present), key=key)
            answer = self._store.change_webhook(asked)
            if isinstance(answer, KeyTaken):
                return self._again(game_id, own, answer.use, request)
            if answer:
                return AddedWebhook(webhook_model.decode_webhook(stored))
        raise Busy

    def listed(self, game_id: str, caller: str) -> list[WebhookRecord]:
        """Returns the caller's webhooks of a game, oldest first. Raises `Forbidden` or `Hidden`."""
        _check_access(self._repository.load(game_id).game, caller)
        found = webhook_model.list_webhooks(self._store, game_id)
        return [each for each in found if tokens.same_hash(each.webhook.owner, caller)]

    def found(self, game_id: str, own: str, caller: str) -> WebhookRecord:
        """Returns one of the caller's webhooks. Raises `UnknownHook`, `Forbidden` or `Hidden`."""
        for each in self.listed(game_id, caller):
            if each.id == own:
                return each
        raise UnknownWebhook

    def remove(self, game_id: str, own: str, caller: str) -> None:
        """Removes a webhook with its deliveries. Raises as `found` does."""
        self.found(game_id, own, caller)
        webhook_model.change_webhook(self._store, game_id, own, lambda _: Change(None))

    def rotate(
        self, game_id: str, own: str, secret: str | None, overlap: int, caller: str
    ) -> tuple[WebhookRecord, str]:
        """Gives a webhook a new secret; the present one signs beside it for `overlap` ms.

        Returns the webhook and the secret. Raises as `found` does.
        """
        self.found(game_id, own, caller)
        chosen = secret or new_secret()
        now = self._store.now()
        changed = self._changed(
            game_id,
            own,
            lambda webhook: Change(
                webhook_model.with_new_secret(webhook, chosen, now, overlap), keep=True
            ),
        )
        return changed, chosen

    def enable(self, game_id: str, own: str, caller: str) -> WebhookRecord:
        """Wakes a webhook: what it was not told yet is tried at once. Raises as `found` does."""
        self.found(game_id, own, caller)

        def woken(webhook: Webhook) -> Change:
            return Change(replace(webhook, disabled=None, failures=0, next_at=None))

        return self._changed(game_id, own, woken)

    def replay(self, game_id: str, own: str, number: int, caller: str) -> WebhookRecord:
        """Lets a delivery be sent again, once, under the same id. Raises `Asleep`, `Full`, and as

        `found` does.
        """
        self.found(game_id, own, caller)
        if number not in self._store.get_deliveries(game_id, own, number, number):
            raise UnknownWebhook
        now = self._store.now()

        def asked(webhook: Webhook) -> Change | None:
            if webhook.disabled:
                raise WebhookDisabled
            if number in webhook.replays:
                return None
            if len(webhook.replays) >= MAX_REPLAYS:
                raise TooManyWebhooks
            return Change(replace(webhook, replays=(*webhook.replays, number)), now)

        return self._changed(game_id, own, asked)

    def deliveries(
        self, game_id: str, own: str, before: int | None, most: int, caller: str
    ) -> list[Delivery]:
        """Returns what is kept of a webhook's deliveries, newest first, those numbered below

        `before`. Raises as `found` does.
        """
        sent = self.found(game_id, own, caller).webhook.sent
        last = sent if before is None else min(before - 1, sent)
        kept = self._store.get_deliveries(game_id, own, max(1, last - most + 1), last)
        return [parse_delivery(kept[number]) for number in sorted(kept, reverse=True)]

    def _changed(self, game_id: str, own: str, how: webhook_model.ChangeFunction) -> WebhookRecord:
        changed = webhook_model.change_webhook(self._store, game_id, own, how)
        if changed is None:
            raise UnknownWebhook
        return changed

    def _again(self, game_id: str, own: str, use: KeyUse, request: RequestContext) -> AddedWebhook:
        if use.fingerprint != request.fingerprint:
            raise KeyReused
        found = webhook_model.find_webhook(self._store, game_id, own)
        if found is None:
            raise RemovedWebhook
        return AddedWebhook(found, replayed=True)


def parse_delivery(line: bytes) -> Delivery:
    """Returns a delivery as it was kept."""
    return Delivery(**orjson.loads(line))


def _check_access(game: Game, caller: str) -> None:
    if not authorization.may_read(game.table, caller):
        raise NotVisible(game.id)
    if not authorization.is_host(game.table, caller) and not authorization.seats_of(
        game.table, caller
    ):
        raise Forbidden("webhooks are for host and seats")


def _webhook_id(bits: bytes) -> str:
    return ids.encode_id(hashlib.sha256(bits).digest(), 16)
