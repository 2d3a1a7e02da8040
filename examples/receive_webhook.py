#!/usr/bin/env python3
"""Receives Bailli's webhooks, with nothing but Python's standard library.

    BAILLI_HOOK_SECRET=whsec_… python receive_webhook.py 5000

Listens on 127.0.0.1 at the given port, checks the signature and age of each message, and prints it
as a line of JSON. A message may arrive more than once: a repeated one is accepted and not printed
again. `verify` is all that another receiver needs; it follows Standard Webhooks.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

TOLERANCE = 300  # seconds that a message may be old, or ahead of this clock
MAX_BYTES = 20_000
MAX_SEEN = 10_000


class Refused(Exception):
    """The message cannot be trusted; the text says why."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> str:
    """Returns the message's id. Raises Refused if it is old or was not signed with the secret.

    `headers` has lower-case names.
    """
    try:
        message = headers["webhook-id"]
        timestamp = headers["webhook-timestamp"]
        signatures = headers["webhook-signature"].split(" ")
        age = now - int(timestamp)
    except (KeyError, ValueError):
        raise Refused("headers are missing or malformed") from None
    if abs(age) > TOLERANCE:
        raise Refused("too old, or ahead of this clock")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message}.{timestamp}.".encode() + body
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # There are several signatures while the secret is being rotated; one must be by ours.
    if not any(hmac.compare_digest(f"v1,{mac}".encode(), each.encode()) for each in signatures):
        raise Refused("not signed with the secret")
    return message


class Receiver(BaseHTTPRequestHandler):
    """Responds with 204 to messages that it accepts, with 400 to those that it does not trust."""

    secret = ""
    seen: ClassVar["OrderedDict[str, None]"] = OrderedDict()

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BYTES:
            self.reply(413)
            return
        body = self.rfile.read(int(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            message = verify(self.secret, headers, body, time.time())
        except Refused as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
            self.reply(400)
            return
        if message not in self.seen:
            self.seen[message] = None
            if len(self.seen) > MAX_SEEN:
                self.seen.popitem(last=False)
            print(json.dumps(json.loads(body)), flush=True)
        self.reply(204)  # at once: do longer work afterwards

    def reply(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    Receiver.secret = os.environ["BAILLI_HOOK_SECRET"]
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()


if __name__ == "__main__":
    main()
