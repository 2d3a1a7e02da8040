"""Webhooks: a client is told instead of asking."""

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
from ..http import authentication, blueprint, idempotency, request_parsing
from ..http import responses as http_responses
from ..http.blueprint import Blueprint
from ..http.links import game_links
from ..http.responses import json_response
from ..http.services import services
from ..representations import Json

blp = Blueprint(
    "webhooks", __name__, description="Being told instead of asking, as Standard Webhooks says."
)

CREATE: Final = webhooks_requests.CreateWebhook()
ROTATE: Final = webhooks_requests.RotateWebhook()
PAGE: Final = queries.DeliveriesQuery()
SECRET: Final = {"Cache-Control": "no-store"}
PLACE: Final = "/games/<game_id:game_id>/webhooks"
ONE: Final = f"{PLACE}/<hook_id:hook>"

MEANINGS: Final[Mapping[str, str]] = {
    webhook_types.STARTED: "The game has started.",
    webhook_types.EVENTS: "Something happened: there are new events.",
    webhook_types.TO_ACT: "The game waits for seats of the webhook's owner.",
    webhook_types.FINISHED: "The game is over: finished or abandoned.",
}
HEADERS: Final[Mapping[str, str]] = {
    "webhook-id": "names the message, on every attempt alike",
    "webhook-timestamp": "when it is sent, seconds since 1970",
    "webhook-signature": "v1,… by each secret, separated by spaces: base64 of HMAC-SHA-256 over "
    "id, timestamp and body with dots between",
}


def operation_id(kind: str) -> str:
    """Returns the id that the contract gives to the call a receiver gets."""
    first, second = kind.replace(".", "_").title().split("_", 1)
    return f"tell{first}{second.replace('_', '')}"


@blp.route(PLACE, methods=["POST"])
@blp.operation(
    "createWebhook",
    {201: ("The webhook is told what happens from now on.", responses.WebhookSecret)},
    needs="required token",
    body=CREATE,
    parameters=[blueprint.IDEMPOTENCY_KEY],
    headers={"Location": blueprint.LOCATION, "Idempotent-Replayed": blueprint.IDEMPOTENT_REPLAYED},
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

    For the host and the seats. Its secret is shown in this answer alone; every message is signed
    with it.
    """
    services().limits.check("hooks")
    caller = authentication.required_bearer_token()
    body = request_parsing.json_body()
    wanted = request_parsing.load_body(CREATE, body)
    try:
        webhook_addresses.parse_target(wanted["url"], services().settings.hooks_local)
    except ValueError as fault:
        raise Misshapen("/url", str(fault)) from None
    types = tuple(kind for kind in webhook_types.TYPES if kind in wanted["events"])
    added = services().webhook_service.add(
        game_id,
        wanted["url"],
        types,
        wanted["secret"],
        idempotency.request_context(caller, body, conditional=False),
    )
    shown: Json = {
        "webhook": _serialize(game_id, added.held),
        "secret": added.held.webhook.secrets[0][0],
    }
    replayed = {"Idempotent-Replayed": "true"} if added.replayed else {}
    headers = {"Location": shown["webhook"]["links"]["self"], **SECRET, **replayed}
    return json_response(shown, 201, headers)


@blp.route(PLACE, methods=["GET"])
@blp.operation(
    "listWebhooks",
    {200: ("The caller's webhooks of the game.", responses.Webhooks)},
    needs="required token",
    codes=["not_found", "gone", "forbidden"],
)
def list_webhooks(game_id: str) -> Response:
    """List webhooks

    Only the caller's own.
    """
    found = services().webhook_service.listed(game_id, authentication.required_bearer_token().hash)
    return json_response({"webhooks": [_serialize(game_id, held) for held in found]})


@blp.route(ONE, methods=["GET"])
@blp.operation(
    "getWebhook",
    {200: ("The webhook.", responses.WebhookResponse)},
    needs="required token",
    codes=["not_found", "gone", "forbidden"],
)
def get_webhook(game_id: str, hook: str) -> Response:
    """Look at a webhook

    How far it has been told, and what went wrong.
    """
    found = services().webhook_service.found(
        game_id, hook, authentication.required_bearer_token().hash
    )
    return json_response({"webhook": _serialize(game_id, found)})


@blp.route(ONE, methods=["DELETE"])
@blp.operation(
    "deleteWebhook",
    {204: "The webhook is removed."},
    needs="required token",
    codes=["not_found", "gone", "forbidden", "busy"],
)
def delete_webhook(game_id: str, hook: str) -> Response:
    """Remove a webhook

    With its deliveries. What is under way may still arrive.
    """
    services().webhook_service.remove(game_id, hook, authentication.required_bearer_token().hash)
    return http_responses.empty_response()


@blp.route(f"{ONE}/rotate", methods=["POST"])
@blp.operation(
    "rotateWebhook",
    {200: ("The webhook has a new secret.", responses.WebhookSecret)},
    needs="required token",
    body=ROTATE,
    codes=["not_found", "gone", "forbidden", "misshapen", "too_many", "busy"],
)
def rotate_webhook(game_id: str, hook: str) -> Response:
    """Take a new secret

    For a while messages are signed with both. With a secret of the client's own this may be
    repeated until it succeeds.
    """
    caller = _check_rate()
    wanted = request_parsing.load_body(ROTATE, request_parsing.json_body())
    held, secret = services().webhook_service.rotate(
        game_id, hook, wanted["secret"], wanted["overlap_s"] * 1000, caller.hash
    )
    return json_response({"webhook": _serialize(game_id, held), "secret": secret}, headers=SECRET)


@blp.route(f"{ONE}/enable", methods=["POST"])
@blp.operation(
    "enableWebhook",
    {200: ("The webhook is active.", responses.WebhookResponse)},
    needs="required token",
    codes=["not_found", "gone", "forbidden", "too_many", "busy"],
)
def enable_webhook(game_id: str, hook: str) -> Response:
    """Enable a webhook

    It is told at once, from where it stopped. Nothing was lost.
    """
    caller = _check_rate()
    held = services().webhook_service.enable(game_id, hook, caller.hash)
    return json_response({"webhook": _serialize(game_id, held)})


@blp.route(f"{ONE}/deliveries", methods=["GET"])
@blp.operation(
    "listDeliveries",
    {200: ("A page of deliveries.", responses.Deliveries)},
    needs="required token",
    query=PAGE,
    headers={"Link": blueprint.LINK},
    codes=["not_found", "gone", "forbidden", "misshapen"],
)
def list_deliveries(game_id: str, hook: str) -> Response:
    """Read what was sent

    Every attempt, with what was answered. The last hundred are kept.
    """
    caller = authentication.required_bearer_token()
    wanted = request_parsing.query_parameters(PAGE)
    found = services().webhook_service.deliveries(
        game_id, hook, wanted["before"], wanted["limit"], caller.hash
    )
    page = [_serialize_delivery(asdict(each)) for each in found]
    more = len(page) == wanted["limit"] and page[-1]["number"] > 1
    following = page[-1]["number"] if more else None
    headers = {}
    if following is not None:
        path = f"{_location(game_id, hook)}/deliveries?before={following}&limit={wanted['limit']}"
        headers["Link"] = f'<{path}>; rel="next"'
    return json_response({"deliveries": page, "next": following}, headers=headers)


@blp.route(f"{ONE}/deliveries/<delivery_number:number>/replay", methods=["POST"])
@blp.operation(
    "replayDelivery",
    {202: ("It will be sent again.", responses.WebhookResponse)},
    needs="required token",
    codes=["not_found", "gone", "forbidden", "hooks_full", "hook_disabled", "too_many", "busy"],
)
def replay_delivery(game_id: str, hook: str, number: int) -> Response:
    """Send a delivery again

    Once, as it was, under the same webhook-id; newly signed.
    """
    caller = _check_rate()
    held = services().webhook_service.replay(game_id, hook, number, caller.hash)
    return json_response({"webhook": _serialize(game_id, held)}, 202)


def _check_rate() -> Token:
    services().limits.check("hooks")
    return authentication.required_bearer_token()


def _location(game_id: str, own: str) -> str:
    return f"{game_links(game_id)['webhooks']}/{own}"


def _serialize(game_id: str, held: WebhookRecord) -> Json:
    webhook = held.webhook
    path = _location(game_id, held.id)
    ends = [until for _, until in webhook.secrets if until is not None]
    return {
        "id": held.id,
        "url": webhook.url,
        "events": list(webhook.types),
        "status": "disabled" if webhook.disabled else "active",
        "reason": webhook.disabled,
        "version": webhook.cursor,
        "waiting": len(webhook.pending),
        "failures": webhook.failures,
        "next_attempt_at": webhook.next_at,
        "old_secret_until": max(ends, default=None),
        "created_at": webhook.made,
        "links": {
            "self": path,
            "game": game_links(game_id)["self"],
            "deliveries": f"{path}/deliveries",
            "rotate": f"{path}/rotate",
            "enable": f"{path}/enable",
        },
    }


def _serialize_delivery(found: dict[str, Any]) -> Json:
    del found["body"]
    found["at"] = found.pop("told_at")
    return found
