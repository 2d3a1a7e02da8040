"""Server, relay and worker as processes of their own, kept running like the service's."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from service.cli.supervisor import Part, Supervisor
from service.config import Settings, other_database
from service.store.embedded import EmbeddedServer
from service.store.redis_store import open_store
from workers.house import House, built


class Place:
    """A running place for games. `house` is a client of it in this process."""

    def __init__(self, folder: Path) -> None:
        self._server = EmbeddedServer(folder)
        self._supervisor = Supervisor()
        self._stop = threading.Event()
        self.server = Part("server", self._server.command(), last=True)
        self._supervisor.add(self.server)
        self._server.wait()
        url = self._server.url
        environment = {"REDIS_URL": url, "QUEUE_URL": other_database(url)}
        bailli = [sys.executable, "-m", "service.cli"]
        self.relay = Part("relay", [*bailli, "relay"], environment)
        self.worker = Part("worker", [*bailli, "worker", "fast"], environment)
        self._supervisor.add(self.relay)
        self._supervisor.add(self.worker)
        self._thread = threading.Thread(target=self._supervisor.run, args=(self._stop, 0.02))
        self._thread.start()
        self.house: House = built(open_store(url, timeout=2), Settings())

    def kill(self, part: Part) -> None:
        """Ends a part as a crash would; one that is just being started again is waited for."""
        while (process := part.process) is None or process.poll() is not None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)

    @property
    def starts(self) -> int:
        """How often parts were started."""
        return sum(part.starts for part in (self.server, self.relay, self.worker))

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._supervisor.close()
        self._server.stop()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Place]:
    """A place that is gone afterwards."""
    place = Place(folder)
    try:
        yield place
    finally:
        place.close()
