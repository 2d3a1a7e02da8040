"""The whole service as its users start it: server, API, relay and workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from service.config import RATE_LIMITED
from service.store.embedded import free_port

UNLIMITED = {
    **{f"BAILLI_RATE_{what.upper()}": "0" for what in RATE_LIMITED},
    "BAILLI_BOTS_CLIENT": "0",
    "BAILLI_BOTS_ALL": "0",
    "BAILLI_STREAMS_PER_CLIENT": "0",
    "BAILLI_GAMES_PER_TOKEN": "0",
}


class Service(NamedTuple):
    """A running service: its address; where it keeps its data, and its log."""

    url: str
    folder: Path


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[str]:
    """The service's address, for as long as it is needed."""
    port = free_port()
    env = {
        **{name: value for name, value in os.environ.items() if name != "REDIS_URL"},
        **UNLIMITED,
        "PORT": str(port),
        "BAILLI_DATA": str(folder),
        **settings,
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "up"], env=env, stdout=log, stderr=log
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _await(url, process, folder / "log")
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    limit = time.monotonic() + 60
    while time.monotonic() < limit and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=2):  # noqa: S310
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the service does not answer: {log.read_text()}")
