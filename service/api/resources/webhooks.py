"""Webhooks: add, list, rotate, enable and remove them; deliveries and their replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from flask import Response

from schemas import responses
from schemas.requests import queries
from schemas.requests import webhooks as webhooks_requests

from ...games.tokens import Token
from ...games.webhooks import addresses as webhook_addresses
from ...games.webhooks import types as webhook_types
from ...games.webhooks.model import WebhookRecord
from ...rules.plain import Misshapen
from ..http import authentication, documented_headers, idempotency_key, request_parsing
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services
from ..representations import Json

blp = Blueprint(
    "webhooks",
    __name__,
    description="Webhooks that follow Standard Webhooks: notifications instead of polling.",
)

CREATE_BODY: Final = webhooks_requests.CreateWebhook()
ROTATE_BODY: Final = webhooks_requests.RotateWebhook()
DELIVERIES_QUERY: Final = queries.DeliveriesQuery()
NO_STORE: Final = {"Cache-Control": "no-store"}
COLLECTION: Final = "/games/<game_id:game_id>/webhooks"
ITEM: Final = f"{COLLECTION}/<hook_id:hook>"

MESSAGE_TYPES: Final[Mapping[str, str]] = {
    webhook_types.STARTED: "The game has started.",
    webhook_types.EVENTS: "There are new events.",
    webhook_types.TO_ACT: "The game waits for seats of the webhook's owner.",
    webhook_types.FINISHED: "The game is over: finished or abandoned.",
}
MESSAGE_HEADERS: Final[Mapping[str, str]] = {
    "webhook-id": "the id of the message, equal on every attempt",
    "webhook-timestamp": "when the message is sent, seconds since 1970",
    "webhook-signature": "v1,… for each secret, separated by spaces: base64 of the HMAC-SHA-256 of "
    "id, timestamp and body, joined by dots",
}


def operation_id(kind: str) -> str:
    """Returns the operationId of the request that receivers get for a message type."""
    first, second = kind.replace(".", "_").title().split("_", 1)
    return f"tell{first}{second.replace('_', '')}"


@blp.route(COLLECTION, methods=["POST"])
@blp.operation(
    "createWebhook",
    {201: ("The webhook is added and gets messages from now on.", responses.WebhookSecret)},
    security="required token",
    body=CREATE_BODY,
    parameters=[documented_headers.IDEMPOTENCY_KEY],
    headers={
        "Location": documented_headers.LOCATION,
        "Idempotent-Replayed": documented_headers.IDEMPOTENT_REPLAYED,
    },
    codes=[
        "not_found",
        "gone",
        "forbidden",
        "misshapen",
        "hooks_full",
        "key_reused",
        "too_many",
        "busy",
    ],
)
def create_webhook(game_id: str) -> Response:
    """Add a webhook

    For the host and the seats. Only this response contains its secret, with which every message is
    signed.
    """
    services().rate_limiter.check("hooks")
    caller = authentication.required_bearer_token()
    body = request_parsing.json_body()
    parameters = request_parsing.load_body(CREATE_BODY, body)
    try:
        webhook_addresses.parse_target(parameters["url"], services().settings.hooks_local)
    except ValueError as error:
        raise Misshapen("/url", str(error)) from None
    types = tuple(kind for kind in webhook_types.TYPES if kind in parameters["events"])
    added = services().webhook_service.add(
        game_id,
        parameters["url"],
        types,
        parameters["secret"],
        idempotency_key.request_context(caller, body, conditional=False),
    )
    response: Json = {
        "webhook": _serialize(game_id, added.record),
        "secret": added.record.webhook.secrets[0][0],
    }
    headers = {
        "Location": response["webhook"]["links"]["self"],
        **NO_STORE,
        **idempotency_key.replay_headers(added.replayed),
    }
    return json_response(response, 201, headers)


@blp.route(COLLECTION, methods=["GET"])
@blp.operation(
    "listWebhooks",
    {200: ("The caller's webhooks of the game.", responses.Webhooks)},
    security="required token",
    codes=["not_found", "gone", "forbidden"],
)
def list_webhooks(game_id: str) -> Response:
    """List the caller's webhooks of a game

    Those of other tokens are not listed.
    """
    records = services().webhook_service.list_webhooks(
        game_id, authentication.required_bearer_token().hash
    )
    return json_response({"webhooks": [_serialize(game_id, record) for record in records]})


@blp.route(ITEM, methods=["GET"])
@blp.operation(
    "getWebhook",
    {200: ("The webhook.", responses.WebhookResponse)},
    security="required token",
    codes=["not_found", "gone", "forbidden"],
)
def get_webhook(game_id: str, hook: str) -> Response:
    """Return a webhook

    With the version up to which it has been delivered, and its failures.
    """
    record = services().webhook_service.find(
        game_id, hook, authentication.required_bearer_token().hash
    )
    return json_response({"webhook": _serialize(game_id, record)})


@blp.route(ITEM, methods=["DELETE"])
@blp.operation(
    "deleteWebhook",
    {204: "The webhook is removed."},
    security="required token",
    codes=["not_found", "gone", "forbidden", "busy"],
)
def delete_webhook(game_id: str, hook: str) -> Response:
    """Remove a webhook

    With its deliveries. A message that is being sent may still arrive.
    """
    services().webhook_service.remove(game_id, hook, authentication.required_bearer_token().hash)
    return http_responses.empty_response()


@blp.route(f"{ITEM}/rotate", methods=["POST"])
@blp.operation(
    "rotateWebhook",
    {200: ("The webhook has a new secret.", responses.WebhookSecret)},
    security="required token",
    body=ROTATE_BODY,
    codes=["not_found", "gone", "forbidden", "misshapen", "too_many", "busy"],
)
def rotate_webhook(game_id: str, hook: str) -> Response:
    """Rotate the secret of a webhook

    For a while messages are signed with both secrets. With a secret generated by the client the
    request may be repeated until it succeeds.
    """
    caller = _check_rate_limit()
    parameters = request_parsing.load_body(ROTATE_BODY, request_parsing.json_body())
    record, secret = services().webhook_service.rotate_secret(
        game_id, hook, parameters["secret"], parameters["overlap_s"] * 1000, caller.hash
    )
    return json_response(
        {"webhook": _serialize(game_id, record), "secret": secret}, headers=NO_STORE
    )


@blp.route(f"{ITEM}/enable", methods=["POST"])
@blp.operation(
    "enableWebhook",
    {200: ("The webhook is active.", responses.WebhookResponse)},
    security="required token",
    codes=["not_found", "gone", "forbidden", "too_many", "busy"],
)
def enable_webhook(game_id: str, hook: str) -> Response:
    """Enable a webhook

    Delivery continues at once, where it stopped. Nothing is lost.
    """
    caller = _check_rate_limit()
    record = services().webhook_service.enable(game_id, hook, caller.hash)
    return json_response({"webhook": _serialize(game_id, record)})


@blp.route(f"{ITEM}/deliveries", methods=["GET"])
@blp.operation(
    "listDeliveries",
    {200: ("A page of deliveries.", responses.Deliveries)},
    security="required token",
    query=DELIVERIES_QUERY,
    headers={"Link": documented_headers.LINK},
    codes=["not_found", "gone", "forbidden", "misshapen"],
)
def list_deliveries(game_id: str, hook: str) -> Response:
    """List the deliveries of a webhook

    Every attempt with its response. The last hundred are kept.
    """
    caller = authentication.required_bearer_token()
    parameters = request_parsing.query_parameters(DELIVERIES_QUERY)
    deliveries = services().webhook_service.list_deliveries(
        game_id, hook, parameters["before"], parameters["limit"], caller.hash
    )
    page = [_serialize_delivery(asdict(each)) for each in deliveries]
    more = len(page) == parameters["limit"] and page[-1]["number"] > 1
    before = page[-1]["number"] if more else None
    headers = {}
    if before is not None:
        path = f"{_location(game_id, hook)}/deliveries?before={before}&limit={parameters['limit']}"
        headers["Link"] = f'<{path}>; rel="next"'
    return json_response({"deliveries": page, "next": before}, headers=headers)


@blp.route(f"{ITEM}/deliveries/<delivery_number:number>/replay", methods=["POST"])
@blp.operation(
    "replayDelivery",
    {202: ("The delivery will be sent again.", responses.WebhookResponse)},
    security="required token",
    codes=["not_found", "gone", "forbidden", "hooks_full", "hook_disabled", "too_many", "busy"],
)
def replay_delivery(game_id: str, hook: str, number: int) -> Response:
    """Replay a delivery

    Sends the same message once more, with the same webhook-id and a new signature.
    """
    caller = _check_rate_limit()
    record = services().webhook_service.replay_delivery(game_id, hook, number, caller.hash)
    return json_response({"webhook": _serialize(game_id, record)}, 202)


def _check_rate_limit() -> Token:
    services().rate_limiter.check("hooks")
    return authentication.required_bearer_token()


def _location(game_id: str, webhook_id: str) -> str:
    return f"{game_links(game_id)['webhooks']}/{webhook_id}"


def _serialize(game_id: str, record: WebhookRecord) -> Json:
    webhook = record.webhook
    path = _location(game_id, record.id)
    secret_ends = [until for _, until in webhook.secrets if until is not None]
    return {
        "id": record.id,
        "url": webhook.url,
        "events": list(webhook.types),
        "status": "disabled" if webhook.disabled else "active",
        "reason": webhook.disabled,
        "version": webhook.cursor,
        "waiting": len(webhook.pending),
        "failures": webhook.failures,
        "next_attempt_at": webhook.next_at,
        "old_secret_until": max(secret_ends, default=None),
        "created_at": webhook.made,
        "links": {
            "self": path,
            "game": game_links(game_id)["self"],
            "deliveries": f"{path}/deliveries",
            "rotate": f"{path}/rotate",
            "enable": f"{path}/enable",
        },
    }


def _serialize_delivery(delivery: dict[str, Any]) -> Json:
    del delivery["body"]
    delivery["at"] = delivery.pop("told_at")
    return delivery
