"""Service information, health probes and metrics."""

from __future__ import annotations

import importlib.metadata

from flask import Response

from schemas import responses

from ..http import metrics
from ..http.blueprint import Blueprint
from ..http.problems import Problem
from ..http.responses import json_response
from ..http.services import services
from ..live import draining
from . import web_app

blp = Blueprint("service", __name__, description="Service information, health and metrics.")

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
    {200: ("The service and links to its resources.", responses.Service)},
    page="The page to play on, in the browser.",
)
def get_service() -> Response:
    """Return the service and its links

    A client that prefers `text/html` (a browser) gets the page on which people play.
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
@blp.operation("getLive", {200: ("The process responds.", responses.Health)})
def get_live() -> Response:
    """Check that the process is alive"""
    return json_response({"status": "ok"}, headers=NO_STORE)


@blp.route("/readyz", methods=["GET"])
@blp.operation(
    "getReady", {200: ("The store can be reached.", responses.Health)}, codes=["unavailable"]
)
def get_ready() -> Response:
    """Check that the process can serve requests"""
    if draining.is_draining():
        raise Problem(
            "unavailable", "This process is shutting down; try again.", headers=RETRY_SOON
        )
    services().store.now()
    return json_response({"status": "ok"}, headers=NO_STORE)


@blp.route("/metrics", methods=["GET"])
@blp.operation(
    "getMetrics", {200: "Metrics in the Prometheus text format."}, media_type="text/plain"
)
def get_metrics() -> Response:
    """Return metrics"""
    response = metrics.render_metrics()
    response.headers.update(NO_STORE)
    return response
