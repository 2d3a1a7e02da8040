"""What is outside the games: where to begin, health, counters."""

from __future__ import annotations

import importlib.metadata

from flask import Response

from schemas import responses

from . import hub, metrics, page
from .blueprint import Blueprint
from .presenting import answer
from .problems import Problem
from .services import services

blp = Blueprint("service", __name__, description="The service itself.")

LINKS = {
    "rulesets": "/v1/rulesets",
    "games": "/v1/games",
    "turns": "/v1/turns",
    "contract": "/openapi.yaml",
    "docs": "/docs",
}
FRESH = {"Cache-Control": "no-store"}
SOON = {"Retry-After": "1"}


@blp.route("/", methods=["GET"])
@blp.operation(
    "getService",
    {200: ("Where everything is.", responses.Service)},
    page="The table in the browser.",
)
def get_service() -> Response:
    """Begin here

    Who asks for `text/html` first (a browser) is given the page on which people play.
    """
    if page.wanted():
        response = page.sent(page.INDEX)
    else:
        version = importlib.metadata.version("bailli")
        response = answer({"name": "bailli", "version": version, "links": LINKS})
        response.headers["Link"] = '</openapi.yaml>; rel="service-desc", </docs>; rel="service-doc"'
    response.vary.add("Accept")
    return response


@blp.route("/livez", methods=["GET"])
@blp.operation("getLive", {200: ("The process answers.", responses.Health)})
def get_live() -> Response:
    """Whether the process lives"""
    return answer({"status": "ok"}, headers=FRESH)


@blp.route("/readyz", methods=["GET"])
@blp.operation(
    "getReady", {200: ("The record can be reached.", responses.Health)}, codes=["unavailable"]
)
def get_ready() -> Response:
    """Whether requests can be served"""
    if hub.leaving():
        raise Problem("unavailable", "This process ends; ask another one.", headers=SOON)
    services().store.now()
    return answer({"status": "ok"}, headers=FRESH)


@blp.route("/metrics", methods=["GET"])
@blp.operation("getMetrics", {200: "Counters in Prometheus' text form."}, media="text/plain")
def get_metrics() -> Response:
    """Counters"""
    response = metrics.written()
    response.headers.update(FRESH)
    return response
