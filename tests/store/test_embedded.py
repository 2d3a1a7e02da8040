"""The embedded server starts, stops, and dies with its parent; strange servers are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.store import embedded
from service.store.checks import Finding, check_server, findings
from service.store.embedded import EmbeddedError, EmbeddedServer, server_binary

FINE = {"redis_version": "7.2.0", "maxmemory_policy": "noeviction", "aof_enabled": 1}


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


def test_a_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "START_SECONDS", 0.2)
    monkeypatch.setattr(embedded, "STOP_SECONDS", 0.2)
    script = tmp_path / "deaf"
    script.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
    script.chmod(0o755)
    with pytest.raises(EmbeddedError, match="does not answer"):
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


@pytest.mark.parametrize(
    ("change", "level", "text"),
    [
        ({"redis_version": "6.2.1"}, "error", "7.0 or later"),
        ({"valkey_version": "8.0.0", "redis_version": "6.0.0"}, None, ""),
        ({"maxmemory_policy": "allkeys-lru"}, "error", "noeviction"),
        ({"aof_enabled": 0}, "warning", "append-only"),
        ({"aof_last_write_status": "err"}, "error", "cannot write"),
        ({"role": "slave"}, "error", "replica"),
        ({}, None, ""),
    ],
)
def test_findings(change: dict[str, Any], level: str | None, text: str) -> None:
    found = findings({**FINE, **change})
    assert [finding.level for finding in found] == ([] if level is None else [level])
    assert all(text in finding.text for finding in found)


def test_no_server_is_found_out() -> None:
    (found,) = check_server("redis://127.0.0.1:1/0")
    assert found == Finding("error", found.text)
    assert "no Redis or Valkey answers" in found.text
