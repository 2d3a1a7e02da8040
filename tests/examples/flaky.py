"""A way to the service on which answers get lost: a proxy in front of it, for tests of clients."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

LOST = frozenset({2, 3, 6, 8, 11})
"""Which requests are carried out without an answer, counted from 1."""
BUSY = frozenset({1, 5, 9})
"""Which requests are not carried out: 503."""


@contextmanager
def flaky(service: str) -> Iterator[str]:
    """The proxy's address."""
    count = threading.Lock(), [0]

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        def _pass_on(self) -> None:
            with count[0]:
                count[1][0] += 1
                number = count[1][0]
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if number in BUSY:
                told = b'{"code": "busy", "detail": "not now"}'
                self._answer(503, {"Retry-After": "0"}, told)
                return
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in ("host", "connection", "content-length")
            }
            answer = client.request(self.command, self.path, content=body, headers=headers)
            if number in LOST:
                self.close_connection = True
                return
            kept = ("ETag", "Content-Type", "Retry-After", "Idempotent-Replayed")
            found = {name: answer.headers[name] for name in kept if name in answer.headers}
            self._answer(answer.status_code, found, answer.content)

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with (
        httpx.Client(base_url=service, timeout=60) as client,
        ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server,
    ):
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()
