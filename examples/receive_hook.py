#!/usr/bin/env python3
"""Receives Bailli's webhooks, with nothing but Python's standard library.

    BAILLI_HOOK_SECRET=whsec_… python receive_hook.py 5000

Listens on 127.0.0.1 at the port given, checks each message's signature and age, and prints what
was told, one line of JSON each. A message that was seen before is taken and not printed again: it
may come more than once. `verify` is all that another receiver needs; it follows Standard Webhooks.
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

TOLERANCE = 300  # seconds that a message may be old, or early
MAX_BYTES = 20_000
MAX_SEEN = 10_000


class Refused(Exception):
    """The message is not to be trusted; the text says why."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> str:
    """Returns the message's id. Raises Refused for what was not signed with the secret, or is old.

    `headers` finds names in small letters.
    """
    try:
        message = headers["webhook-id"]
        timestamp = headers["webhook-timestamp"]
        signatures = headers["webhook-signature"].split(" ")
        age = now - int(timestamp)
    except (KeyError, ValueError):
        raise Refused("headers are missing or odd") from None
    if abs(age) > TOLERANCE:
        raise Refused("too old or too early")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message}.{timestamp}.".encode() + body
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Several signatures: the sender is changing its secret, and one of them is by ours.
    if not any(hmac.compare_digest(f"v1,{mac}".encode(), each.encode()) for each in signatures):
        raise Refused("not signed with the secret")
    return message


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what it takes, 400 to what it does not trust."""

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
        except Refused as why:
            print(f"refused: {why}", file=sys.stderr, flush=True)
            self.reply(400)
            return
        if message not in self.seen:
            self.seen[message] = None
            if len(self.seen) > MAX_SEEN:
                self.seen.popitem(last=False)
            print(json.dumps(json.loads(body)), flush=True)
        self.reply(204)  # soon: work that takes longer is done afterwards

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
