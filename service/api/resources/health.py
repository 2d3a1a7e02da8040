"""What is outside the games: where to begin, health, counters."""

from __future__ import annotations

import importlib.metadata

from flask import Response

from schemas import responses

from .. import web_app
from ..http import metrics
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services
from ..live import broker

blp = Blueprint("service", __name__, description="The service itself.")

LINKS = {
    "rulesets": "/v1/rulesets",
    "games": "/v1/games",
    "turns": "/v1/turns",
    "contract": "/openapi.yaml",
    "docs": "/docs",
}
NO_STORE = {"Cache-Control": "no-store"}
RETRY_SOON = {"Retry-After": "1"}


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
    if web_app.prefers_html():
        response = web_app.send_file(web_app.INDEX)
    else:
        version = importlib.metadata.version("bailli")
        response = json_response({"name": "bailli", "version": version, "links": LINKS})
        response.headers["Link"] = '</openapi.yaml>; rel="service-desc", </docs>; rel="service-doc"'
    response.vary.add("Accept")
    return response


@blp.route("/livez", methods=["GET"])
@blp.operation("getLive", {200: ("The process answers.", responses.Health)})
def get_live() -> Response:
    """Whether the process lives"""
    return json_response({"status": "ok"}, headers=NO_STORE)


@blp.route("/readyz", methods=["GET"])
@blp.operation(
    "getReady", {200: ("The record can be reached.", responses.Health)}, codes=["unavailable"]
)
def get_ready() -> Response:
    """Whether requests can be served"""
    if broker.is_draining():
        raise Problem("unavailable", "This process ends; ask another one.", headers=RETRY_SOON)
    services().store.now()
    return json_response({"status": "ok"}, headers=NO_STORE)


@blp.route("/metrics", methods=["GET"])
@blp.operation("getMetrics", {200: "Counters in Prometheus' text form."}, media="text/plain")
def get_metrics() -> Response:
    """Counters"""
    response = metrics.render_metrics()
    response.headers.update(NO_STORE)
    return response
