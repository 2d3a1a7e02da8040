"""The service as a whole: what it refuses to start on, what it starts, how it ends.

The API is stood in for here by a small web server; the real one is run by `tests/faults`.
"""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import configuration, local_service, up
from service.cli.local_service import CannotStart, LocalService
from service.cli.supervisor import ManagedProcess
from service.config import Settings
from service.store.embedded import EmbeddedServer, free_port
from tests.store.cluster import Cluster

WEB = """
import http.server, sys
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Ready).serve_forever()
"""


def web(port: int) -> ManagedProcess:
    return ManagedProcess("api", [sys.executable, "-c", WEB, str(port)])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(port=free_port(), data=tmp_path / "var")


@pytest.fixture
def only_web(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service has a small web server in the place of API, relay and workers."""
    monkeypatch.setattr(LocalService, "_processes", lambda self: [web(self.settings.port)])


def refusal(settings: Settings) -> str:
    with pytest.raises(CannotStart) as caught:
        LocalService(settings)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.usefixtures("only_web")
def test_a_service_starts_and_ends(settings: Settings) -> None:
    service = LocalService(settings)
    service.start(threading.Event())
    assert [part.name for part in service.supervisor.processes] == ["server", "api"]
    assert all(part.running for part in service.supervisor.processes)
    assert service.redis_url == f"unix://{settings.data}/redis.sock"
    assert service.warnings == []
    service.close()
    assert not any(part.running for part in service.supervisor.processes)
    LocalService(settings).close()


def test_the_parts_know_where_the_games_are(settings: Settings) -> None:
    service = LocalService(settings)
    parts = {part.name: part for part in service._processes()}
    service.close()
    assert list(parts) == ["api", "relay", "fast worker", "slow worker"]
    for part in parts.values():
        assert part.environment["REDIS_URL"] == service.redis_url
        assert part.environment["QUEUE_URL"] == service.redis_url + "?db=1"
        assert part.environment["PORT"] == str(settings.port)
        assert part.environment["PROMETHEUS_MULTIPROC_DIR"] == str(settings.data / "metrics")


def test_a_long_path_makes_the_server_listen_on_loopback(tmp_path: Path) -> None:
    settings = Settings(port=free_port(), data=tmp_path / ("long" * 30))
    service = LocalService(settings)
    assert service.redis_url.startswith("redis://127.0.0.1:")
    service.close()


def test_a_busy_port_is_refused(settings: Settings) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", settings.port))
        busy.listen()
        said = refusal(settings)
    assert said == f"can't listen on 127.0.0.1:{settings.port}: something listens there already"


def test_an_unknown_host_is_refused(tmp_path: Path) -> None:
    assert "can't listen on no such host:" in refusal(Settings(host="no such host", data=tmp_path))


def test_a_folder_is_for_one_service(settings: Settings, tmp_path: Path) -> None:
    service = LocalService(settings)
    other = Settings(port=free_port(), data=settings.data)
    assert refusal(other) == f"another service uses the folder {settings.data}"
    service.close()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "can't be used" in refusal(Settings(port=free_port(), data=tmp_path / "file"))


def test_an_unreachable_redis_is_refused(tmp_path: Path) -> None:
    settings = Settings(port=free_port(), data=tmp_path, redis_url="redis://127.0.0.1:1/0")
    assert "no Redis or Valkey responds at REDIS_URL" in refusal(settings)


def test_a_server_that_evicts_is_refused(tmp_path: Path) -> None:
    extra = ("--maxmemory-policy", "allkeys-lru")
    with EmbeddedServer(tmp_path / "redis", extra=extra) as server:
        settings = Settings(port=free_port(), data=tmp_path / "var", redis_url=server.url)
        assert "maxmemory-policy is allkeys-lru" in refusal(settings)


def test_a_cluster_needs_another_server_for_the_queues(cluster: Cluster, tmp_path: Path) -> None:
    settings = Settings(port=free_port(), data=tmp_path, redis_url=cluster.nodes[0].server.url)
    assert "set QUEUE_URL to a single server" in refusal(settings)


@pytest.mark.usefixtures("only_web")
def test_a_service_on_a_cluster(cluster: Cluster, redis_url: str, tmp_path: Path) -> None:
    settings = Settings(port=free_port(), data=tmp_path, redis_url=cluster.url, queue_url=redis_url)
    service = LocalService(settings)
    service.start(threading.Event())
    assert (service.redis_url, service.warnings) == (cluster.url, [])
    service.close()


@pytest.mark.usefixtures("only_web")
def test_a_server_without_a_file_is_warned_about(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "redis", extra=("--appendonly", "no")) as server:
        settings = Settings(port=free_port(), data=tmp_path / "var", redis_url=server.url)
        service = LocalService(settings)
        assert len(service.warnings) == 1
        assert service.redis_url == server.url
        service.close()


def test_damaged_data_are_refused(settings: Settings) -> None:
    folder = settings.data / "redis" / "appendonlydir"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof.manifest").write_text("nonsense\n")
    assert "does not start; see" in refusal(settings)


def test_no_server_at_all_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise local_service.EmbeddedError("no embedded server here")

    monkeypatch.setattr("service.store.embedded.server_binary", missing)
    assert refusal(settings) == "no embedded server here"


def test_an_api_that_does_not_answer_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    dies = ManagedProcess("api", [sys.executable, "-S", "-c", "raise SystemExit(1)"])
    monkeypatch.setattr(LocalService, "_processes", lambda self: [dies])
    monkeypatch.setattr(local_service, "READY_SECONDS", 0.5)
    service = LocalService(settings)
    with pytest.raises(CannotStart, match="does not respond"):
        service.start(threading.Event())
    service.close()


@pytest.mark.parametrize(
    ("host", "url"),
    [("0.0.0.0", "http://127.0.0.1:8123"), ("::", "http://[::1]:8123"), ("h", "http://h:8123")],  # noqa: S104
)
def test_the_address_can_be_called(host: str, url: str) -> None:
    class Bare(LocalService):
        def __init__(self) -> None:
            self.settings = Settings(host=host, port=8123)

    assert Bare().url == url


def held(folder: Path, content: bytes) -> subprocess.Popen[bytes]:
    """A process that holds a folder's lock for a moment, as a killed service's parts do."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "service.lock").write_bytes(content)
    code = (
        "import fcntl, sys, time; lock = open(sys.argv[1], 'a'); "
        "fcntl.flock(lock, fcntl.LOCK_EX); print('held', flush=True); time.sleep(0.4)"
    )
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", code, str(folder / "service.lock")], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    process.stdout.close()
    return process


@pytest.mark.parametrize("content", [b"", b"999999999", b"nonsense"])
def test_what_a_killed_service_left_is_waited_for(tmp_path: Path, content: bytes) -> None:
    process = held(tmp_path, content)
    lock = local_service._lock_folder(tmp_path)
    process.wait()
    lock.seek(0)
    assert int(lock.read()) == os.getpid()
    lock.close()


def test_waiting_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_service, "LOCK_SECONDS", 0.0)
    process = held(tmp_path, b"999999999")
    with pytest.raises(CannotStart, match="another service"):
        local_service._lock_folder(tmp_path)
    process.wait()


def test_somebody_elses_service_lives_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(pid: int, number: int) -> None:
        raise PermissionError(errno.EPERM, "not yours")

    monkeypatch.setattr(local_service.os, "kill", kill)
    process = held(tmp_path, b"1")
    with pytest.raises(CannotStart, match="another service"):
        local_service._lock_folder(tmp_path)
    process.wait()


def ups(monkeypatch: pytest.MonkeyPatch, settings: Settings, at_rest: Callable[[Any], None]) -> Any:
    """Runs `bailli up` here, where signals can't be taken; `at_rest` is given its stop event."""
    stop = threading.Event()
    monkeypatch.setattr(up, "stop_on_signals", lambda: stop)
    monkeypatch.setattr(up, "load_settings", lambda: settings)
    thread = threading.Thread(target=at_rest, args=(stop,))
    thread.start()
    shown = CliRunner().invoke(up.up)
    thread.join()
    return shown


@pytest.mark.usefixtures("only_web")
def test_up_tells_where_it_listens_and_ends_when_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once_up(stop: threading.Event) -> None:
        while not local_service._is_ready(f"http://127.0.0.1:{settings.port}/readyz"):
            stop.wait(0.05)
        stop.wait(0.3)
        stop.set()

    shown = ups(monkeypatch, settings, once_up)
    assert shown.exit_code == 0
    assert shown.output.startswith(f"Bailli listens at http://127.0.0.1:{settings.port} ")
    assert f"curl -s http://127.0.0.1:{settings.port}/v1/rulesets" in shown.output


@pytest.mark.usefixtures("only_web")
def test_up_can_be_stopped_while_it_starts(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ups(monkeypatch, settings, lambda stop: stop.set())
    assert (shown.exit_code, shown.output) == (0, "")


def test_up_refuses_in_one_line(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", settings.port))
        busy.listen()
        shown = ups(monkeypatch, settings, lambda stop: None)
    assert shown.exit_code == 1
    assert shown.output.count("\n") == 1


def test_up_gives_up_in_one_line(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: LocalService, stop: threading.Event) -> None:
        self.warnings.append("careful")
        raise CannotStart("the API does not answer")

    monkeypatch.setattr(LocalService, "start", fails)
    shown = ups(monkeypatch, settings, lambda stop: None)
    assert (shown.exit_code, shown.output) == (1, "Error: the API does not answer\n")


@pytest.mark.usefixtures("only_web")
def test_up_warns(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = LocalService.__init__

    def warned(self: LocalService, given: Settings) -> None:
        begin(self, given)
        self.warnings.append("careful")

    monkeypatch.setattr(LocalService, "__init__", warned)
    shown = ups(monkeypatch, settings, lambda stop: stop.set())
    assert shown.output == "Warning: careful\n"


def test_settings_that_do_not_fit_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "many")
    shown = CliRunner().invoke(up.up)
    assert shown.exit_code == 1
    assert shown.output == "Error: PORT must be a whole number from 1 to 65535\n"


def test_a_part_needs_to_know_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    with pytest.raises(configuration.click.ClickException, match="REDIS_URL is not set"):
        configuration.set_up_worker()
