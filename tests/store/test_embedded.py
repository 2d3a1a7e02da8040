"""The embedded server starts, stops, waits for its folder, and dies with its parent."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from redis import Redis

from service.store import embedded
from service.store.embedded import EmbeddedError, EmbeddedServer, free_port, server_binary
from service.store.startup_checks import check_server

from .proxy import Proxy
from .streams import port

LOADING = b"-LOADING Redis is loading the dataset in memory\r\n"


def test_it_starts_and_keeps_its_data(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        assert check_server(server.url) == []
        with Redis.from_url(server.url) as client:
            client.set("a", "b")
            assert client.config_get("appendfsync")["appendfsync"] == "always"
    assert server.pid == 0
    with EmbeddedServer(tmp_path) as server, Redis.from_url(server.url) as client:
        assert client.get("a") == b"b"


def test_a_unix_socket(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, socket_path=tmp_path / "s") as server:
        assert server.url == f"unix://{tmp_path}/s"
        assert check_server(server.url) == []
    with pytest.raises(EmbeddedError, match="longer than 107"):
        EmbeddedServer(tmp_path, socket_path=tmp_path / ("s" * 120)).start()


def test_a_folder_belongs_to_one_server(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path), pytest.raises(EmbeddedError, match="another server uses"):
        EmbeddedServer(tmp_path).start()


def test_a_server_that_ends_at_once(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path, extra=("--no-such-option", "1"))
    with pytest.raises(EmbeddedError, match="ended at once"):
        server.start()
    server.stop()


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """Another server's answer is not taken for its own."""
    with EmbeddedServer(tmp_path / "one") as first:
        second = EmbeddedServer(tmp_path / "two", port=port(first))
        with pytest.raises(EmbeddedError, match=r"ended at once: .+"):
            second.start()
        assert second.pid == 0


def test_a_server_that_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="it logged nothing"):
        EmbeddedServer(tmp_path, binary="/bin/false").start()


def test_a_missing_binary(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"ended at once: .*no-such-server"):
        EmbeddedServer(tmp_path, binary=str(tmp_path / "no-such-server")).start()


def test_one_that_is_leaving_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "server.lock").open("ab") as leaving:
        fcntl.flock(leaving, fcntl.LOCK_EX)
        monkeypatch.setattr(embedded, "STOP_SECONDS", 0.1)
        with pytest.raises(EmbeddedError, match="another server uses the folder"):
            EmbeddedServer(tmp_path).start()
        monkeypatch.setattr(embedded, "STOP_SECONDS", 10.0)
        threading.Timer(0.3, fcntl.flock, (leaving, fcntl.LOCK_UN)).start()
        with EmbeddedServer(tmp_path) as server:
            assert check_server(server.url) == []


def test_loading_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it takes, while a server that is deaf is not."""
    monkeypatch.setattr(embedded, "START_SECONDS", 1.0)
    with (
        EmbeddedServer(tmp_path / "one") as server,
        Proxy(port(server), lambda data: b"PING" in data) as proxy,
    ):
        watched = EmbeddedServer(tmp_path / "two", port=proxy.port)
        watched.command()
        begun = time.monotonic()
        proxy.always = LOADING
        timer = threading.Timer(2.0, setattr, (proxy, "always", None))
        timer.start()
        watched.wait()
        assert time.monotonic() - begun > 1.9
        watched.stop()
    gone = EmbeddedServer(tmp_path / "three", port=free_port())
    gone.command()
    with pytest.raises(EmbeddedError, match="does not respond"):
        gone.wait()


def test_it_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert _runs(server.pid)
    server.stop()


def test_a_server_that_was_stopped_is_not_looked_for(tmp_path: Path) -> None:
    """Its watcher goes with it, and lets go of the folder."""
    server = EmbeddedServer(tmp_path)
    for _ in range(2):
        server.start()
        server.kill()
    server.stop()
    with (tmp_path / "server.lock").open("ab") as lock:
        limit = time.monotonic() + 5
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                assert time.monotonic() < limit
                time.sleep(0.02)


def test_a_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "START_SECONDS", 0.2)
    monkeypatch.setattr(embedded, "STOP_SECONDS", 0.2)
    script = tmp_path / "deaf"
    script.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
    script.chmod(0o755)
    with pytest.raises(EmbeddedError, match="does not respond"):
        EmbeddedServer(tmp_path, binary=str(script)).start()


def test_without_any_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(embedded.importlib, "import_module", missing)
    monkeypatch.setattr(embedded.shutil, "which", lambda name: f"/bin/{name}")
    assert server_binary() == "/bin/valkey-server"
    monkeypatch.setattr(embedded.shutil, "which", lambda name: None)
    with pytest.raises(EmbeddedError, match="set REDIS_URL"):
        server_binary()


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path;"
        "from service.store.embedded import EmbeddedServer;"
        "s = EmbeddedServer(Path(sys.argv[1])); s.start();"
        "print(s.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    limit = time.monotonic() + 10
    while _runs(child) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not _runs(child)
    with EmbeddedServer(tmp_path) as server:
        assert server.pid


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"


def test_nobody_else_reads_its_files(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "data")
    with server:
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0
