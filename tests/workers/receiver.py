"""A receiver of webhooks: it notes what it gets and answers as it is told, well or badly."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Act = Callable[[BaseHTTPRequestHandler], None]


class Got(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.body)
        return loaded


def status(code: int, body: bytes = b"", **headers: str) -> Act:
    """Answers with a status; `_` in names of headers is `-`."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return act


def raw(*parts: bytes, pause: float = 0, stop: threading.Event | None = None) -> Act:
    """Answers with bytes that need not be HTTP, with a pause after each part."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        for part in parts:
            handler.wfile.write(part)
            if pause and stop is not None and stop.wait(pause):
                return

    return act


class Receiver:
    """Listens on a port of this machine. `acts` are done one for each request, then `usual`."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.got: list[Got] = []
        self.acts: list[Act] = []
        self.usual: Act = status(204)
        self.stop = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                owner.got.append(Got(self.path, headers, self.rfile.read(length)))
                act = owner.acts.pop(0) if owner.acts else owner.usual
                with contextlib.suppress(OSError):  # the sender may have given up
                    act(self)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def hang(self, handler: BaseHTTPRequestHandler) -> None:
        """Never answers."""
        self.stop.wait(30)

    def close(self) -> None:
        self.stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextlib.contextmanager
def receiving(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that is gone afterwards."""
    receiver = Receiver(context)
    try:
        yield receiver
    finally:
        receiver.close()
