"""A TCP proxy between a client and a server that fails on purpose, once it is told to."""

from __future__ import annotations

import socket
import threading
from types import TracebackType


class Proxy:
    """Forwards to a server's port from `port`. `fault` says what the next connection's data meets.

    None: nothing; "before": cut before the request reaches the server; "after": the server gets
    it, the answer is lost; "late": the connection is cut at once, the request reaches the server
    `delay` seconds later. A fault is used up by the first request that meets it, unless `lasting`.
    """

    def __init__(self, target: int, delay: float = 0.3) -> None:
        self._target = target
        self._delay = delay
        self._lock = threading.Lock()
        self.fault: str | None = None
        self.lasting = False
        self.requests = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._closing = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        self._listener.close()

    def _accept(self) -> None:
        while not self._closing:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _take_fault(self, data: bytes) -> str | None:
        if b"EVALSHA" not in data and b"EVAL\r\n" not in data:
            return None
        with self._lock:
            self.requests += 1
            fault = self.fault
            if not self.lasting:
                self.fault = None
            return fault

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as server:
            done = threading.Event()
            threading.Thread(target=self._back, args=(server, client, done), daemon=True).start()
            try:
                while data := client.recv(1 << 20):
                    fault = self._take_fault(data)
                    if fault == "before":
                        return
                    if fault == "after":
                        done.set()
                        server.sendall(data)
                        server.recv(1 << 16)
                        return
                    if fault == "late":
                        done.set()
                        client.shutdown(socket.SHUT_RDWR)
                        threading.Event().wait(self._delay)
                        server.sendall(data)
                        threading.Event().wait(0.1)
                        return
                    server.sendall(data)
            except OSError:
                return

    @staticmethod
    def _back(server: socket.socket, client: socket.socket, done: threading.Event) -> None:
        try:
            while not done.is_set() and (data := server.recv(1 << 20)):
                if not done.is_set():
                    client.sendall(data)
        except OSError:
            return
