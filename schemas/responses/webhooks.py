"""Webhooks, deliveries, and the messages that receivers get."""

from __future__ import annotations

from marshmallow import Schema, fields

from service.games.table.state import STATUSES
from service.games.webhooks.types import DISABLED_REASONS, TYPES
from service.rules.kinds import Maybe, OneOf, Text, Whole

from ..described_fields import Described
from ..fields import SEAT
from .fields import (
    FLAG,
    TIME,
    VERSION,
    WEBHOOK_ID_PATTERN,
    described_field,
    game_id_field,
    list_field,
)


class Webhook(Schema):
    """A webhook of the caller, without its secrets."""

    id = described_field(Text(16), "its id", pattern=WEBHOOK_ID_PATTERN, maxLength=16)
    url = described_field(Text(2_100), "the receiver's URL", maxLength=2_100)
    events = fields.List(
        Described(OneOf(TYPES)),
        required=True,
        metadata={"description": "the message types that are sent"},
    )
    status = described_field(OneOf(("active", "disabled")), "whether messages are sent")
    reason = described_field(
        Maybe(OneOf(DISABLED_REASONS)),
        "why it is disabled: the receiver returned 410 (gone), all attempts failed "
        "(exhausted), the token is no longer at the table (no_right)",
    )
    version = described_field(VERSION, "the version up to which messages have been made")
    waiting = described_field(VERSION, "the number of messages not yet delivered")
    failures = described_field(VERSION, "failed attempts to deliver the first of them")
    next_attempt_at = described_field(
        Maybe(TIME), "when the next attempt is made, ms since 1970; null: at once"
    )
    old_secret_until = described_field(
        Maybe(TIME), "until when an older secret signs too, ms since 1970; null: none does"
    )
    created_at = described_field(TIME, "ms since 1970")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Webhooks(Schema):
    """The caller's webhooks of a game."""

    webhooks = list_field(Webhook, "oldest first")


class WebhookResponse(Schema):
    """A webhook."""

    webhook = fields.Nested(Webhook, required=True)


class WebhookSecret(WebhookResponse):
    """A webhook with its secret, which is returned only once."""

    secret = described_field(Text(96), "the secret that signs messages; store it", maxLength=96)


class Delivery(Schema):
    """An attempt to deliver a message."""

    number = described_field(Whole(1, 10**9), "the number of the delivery, counted per webhook")
    message = described_field(Text(64), "webhook-id, equal for all attempts to deliver the message")
    type = described_field(OneOf(TYPES), "the message type")
    after = described_field(VERSION, "the message covers the events after this version")
    version = described_field(VERSION, "up to this one")
    at = described_field(TIME, "when it was sent, ms since 1970")
    attempt = described_field(Whole(1, 100), "the number of the attempt")
    replay = described_field(FLAG, "whether it was replayed on request")
    status = described_field(Maybe(Whole(100, 999)), "the HTTP status of the response")
    fault = described_field(
        Maybe(
            OneOf(
                (
                    "unresolved",
                    "refused_address",
                    "no_connection",
                    "tls",
                    "timeout",
                    "closed",
                    "malformed",
                )
            )
        ),
        "the error if there was no response",
    )
    ms = described_field(TIME, "the duration, ms")
    outcome = described_field(OneOf(("delivered", "failed", "disabled")), "the outcome")


class Deliveries(Schema):
    """A page of deliveries; the last hundred are kept."""

    deliveries = list_field(Delivery, "newest first")
    next = described_field(Maybe(VERSION), "`before` of the next page; null: this is the last page")


class WebhookData(Schema):
    """What happened: ids and versions, no state."""

    webhook = described_field(
        Text(16), "the webhook's id", pattern=WEBHOOK_ID_PATTERN, maxLength=16
    )
    game = game_id_field()
    ruleset = described_field(Text(64), "the ruleset's id")
    version = described_field(VERSION, "the game's version then")
    after = Described(
        VERSION, metadata={"description": "game.events: the events after this version are new"}
    )
    seats = fields.List(
        Described(SEAT), metadata={"description": "seat.to_act: the seats that must act"}
    )
    status = Described(OneOf(STATUSES), metadata={"description": "game.finished: how it ended"})
    reason = Described(
        Maybe(Text(64)), metadata={"description": "game.finished: why, if it was abandoned"}
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class WebhookMessage(Schema):
    """The message that a receiver gets, signed as Standard Webhooks specifies."""

    type = described_field(OneOf(TYPES), "what happened")
    timestamp = fields.DateTime(required=True, metadata={"description": "when it happened"})
    data = fields.Nested(WebhookData, required=True)
