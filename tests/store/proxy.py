"""A TCP proxy between clients and a server that fails on purpose."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Literal

Fault = Literal["before", "half", "inside", "after", "late", "slow"] | bytes | None
"""What a request meets.

None: nothing. "before": the connection is cut and the server sees nothing. "half": it is cut when
half of the request was passed on. "inside": it is cut as soon as the server has the request.
"after": it is cut when the server has answered. "late": it is cut at once, and the server gets the
request `delay` seconds later. "slow": the answer takes `delay` seconds longer. Bytes: they are the
answer, and the server sees nothing.
"""

LONGEST_ANSWER = 5.0


def questions(data: bytes) -> bool:
    """Whether a request runs a script or a transaction of Redis."""
    return b"EVALSHA" in data or b"EVAL\r\n" in data or b"MULTI" in data


class Proxy:
    """Forwards what comes at `port` to the server's port `target`.

    Each request that `matches` (a request is what one reading brings) is counted in `requests` and
    meets the next of the faults given to `meet`, and where there are none, `always`.
    """

    def __init__(
        self, target: int, matches: Callable[[bytes], bool] = questions, *, delay: float = 0.2
    ) -> None:
        self.always: Fault = None
        self.requests = 0
        self._target = target
        self._matches = matches
        self._delay = delay
        self._faults: deque[Fault] = deque()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._begin(self._accept)

    def meet(self, *faults: Fault) -> None:
        """Says what the next requests meet, and counts them from 0."""
        with self._lock:
            self._faults = deque(faults)
            self.requests = 0

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _next_of(self, sockets: Iterable[socket.socket]) -> list[socket.socket]:
        """Returns those with something to read; none when the proxy closes."""
        while not self._closing.is_set():
            readable, _, _ = select.select(list(sockets), [], [], 0.05)
            if readable:
                return readable
        return []

    def _accept(self) -> None:
        while self._next_of([self._listener]):
            client, _ = self._listener.accept()
            self._begin(self._serve, client)

    def _take(self, data: bytes) -> Fault:
        if not self._matches(data):
            return None
        with self._lock:
            self.requests += 1
            return self._faults.popleft() if self._faults else self.always

    def _serve(self, client: socket.socket) -> None:
        try:
            with client, socket.create_connection(("127.0.0.1", self._target)) as server:
                server.settimeout(LONGEST_ANSWER)
                while readable := self._next_of([client, server]):
                    source = server if server in readable else client
                    data = source.recv(1 << 20)
                    if not data:
                        return
                    if source is server:
                        client.sendall(data)
                    elif not self._pass_on(data, self._take(data), client, server):
                        return
        except OSError:  # either side has gone: so does the other
            return

    def _pass_on(
        self, data: bytes, fault: Fault, client: socket.socket, server: socket.socket
    ) -> bool:
        """Returns whether the connection goes on."""
        if isinstance(fault, bytes):
            client.sendall(fault)
            return True
        if fault == "before":
            return False
        if fault == "half":
            server.sendall(data[: len(data) // 2])
            return False
        if fault in ("inside", "late"):
            client.shutdown(socket.SHUT_RDWR)
        if fault == "late":
            time.sleep(self._delay)
        server.sendall(data)
        if fault in ("inside", "late", "after"):
            server.recv(1 << 16)
            return False
        if fault == "slow":
            time.sleep(self._delay)
        return True
