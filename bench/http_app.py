"""The service and, beside it, two bare Flask applications to compare it with, in one process."""

from __future__ import annotations

import os

import redis
from flask import Flask, Response, request
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from service.app import create_app

BODY = b'{"version":12,"events":[{"version":12,"at":1700000000000,"type":"x","data":{"a":1}}]}'

bare = Flask("bare")
client = redis.Redis.from_url(os.environ["REDIS_URL"])


@bare.route("/hello", methods=["GET", "POST"])
def hello() -> Response:
    request.get_data()
    return Response(BODY, mimetype="application/json")


@bare.post("/xadd")
def xadd() -> Response:
    written = request.get_data()
    client.xadd(
        "bench", {"t": "x", "v": "1", "d": written, "m": b"", "h": bytes(32)}, maxlen=10_000
    )
    return Response(BODY, 201, mimetype="application/json")


app = DispatcherMiddleware(create_app(), {"/bare": bare})
