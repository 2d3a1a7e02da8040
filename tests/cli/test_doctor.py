"""`bailli doctor`: it finds what is wrong with a real deployment, and says what to do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.cli import configuration, doctor_checks, main
from service.games import due_work
from service.rules.ruleset import rulesets
from service.store.embedded import EmbeddedServer, free_port
from service.store.redis_store import RedisStore, open_store
from tests.live.api_server import served
from tests.workers.tables import lay
from workers.context import WorkerContext, build_context
from workers.queues import FAST, SLOW
from workers.worker import build_worker


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path_factory.mktemp("doctor"), fsync="everysec") as running:
        yield running


@pytest.fixture
def queues(
    server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Redis]:
    """The queues' server; the settings lead to it and to the store beside it, both empty."""
    monkeypatch.setenv("REDIS_URL", server.url)
    monkeypatch.setenv("BAILLI_DATA", str(tmp_path))
    with Redis.from_url(server.url) as client:
        client.flushall()
    with configuration.set_up_worker().queues as client:
        yield client


@pytest.fixture
def context(queues: Redis, server: EmbeddedServer) -> Iterator[WorkerContext]:
    with closing(open_store(server.url)) as store:
        yield build_context(store, configuration.load_settings())


@pytest.fixture
def staffed(queues: Redis, context: WorkerContext) -> None:
    """A worker of each queue has said that it lives."""
    for name in (FAST, SLOW):
        one = build_worker(name, context, queues)
        one.register_birth()
        one.heartbeat()


def seen(*arguments: str) -> tuple[int, list[tuple[str, str, str, str]]]:
    """What the doctor ends with and finds: level, part, text and advice."""
    shown = CliRunner().invoke(main, ["doctor", "--json", *arguments])
    told = json.loads(shown.output)
    assert told["healthy"] == (shown.exit_code == 0)
    return shown.exit_code, [tuple(each.values()) for each in told["findings"]]


def wrong(*arguments: str) -> list[tuple[str, str, str, str]]:
    """What the doctor finds that is not well, each with advice."""
    code, found = seen(*arguments)
    bad = [each for each in found if each[0] != "ok"]
    assert all(advice for *_, advice in bad)
    assert code == any(level == "error" for level, *_ in bad)
    return bad


@pytest.mark.usefixtures("staffed")
def test_a_healthy_deployment(server: EmbeddedServer, tmp_path: Path) -> None:
    with served(server.url, tmp_path) as api:
        code, found = seen("--url", f"http://127.0.0.1:{api.port}/")
    assert (code, [each for each in found if each[0] != "ok"]) == (0, [])
    about = {part for _, part, *_ in found}
    assert about == {
        "store", "queues", "clock", "due list", "workers", "archive", "API", "version",
    }  # fmt: skip


@pytest.mark.usefixtures("staffed")
def test_a_store_that_evicts_and_one_that_forgets(server: EmbeddedServer) -> None:
    with Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        try:
            evicting, forgetting = wrong()
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("appendonly", "yes")
    assert evicting[:2] == ("error", "store")
    assert "allkeys-lru" in evicting[2]
    assert "CONFIG SET maxmemory-policy noeviction" in evicting[3]
    assert forgetting[:2] == ("warning", "store")


@pytest.mark.usefixtures("queues")
def test_nobody_works() -> None:
    found = wrong()
    assert [each[:2] for each in found] == [("error", "workers")] * 2
    assert [each[3] for each in found] == [
        "start `bailli worker fast`",
        "start `bailli worker slow`",
    ]


@pytest.mark.usefixtures("staffed")
def test_games_that_are_overdue(context: WorkerContext) -> None:
    """What nobody takes is the relay's fault, what is taken again and again the workers'."""
    law = next(iter(rulesets().values()))
    late, stuck = (lay(context, "random", "random", ruleset=law) for _ in range(2))
    store = context.command_handler.store
    now = store.now()
    store.set_due(late.id, due_work.BOTS_ONLY_MOVE, now - 60_000)
    store.set_due(stuck.id, due_work.BOT_MOVE, now)
    for _ in range(doctor_checks.MAX_ATTEMPTS):
        store.extend_lease(stuck.id, due_work.BOT_MOVE, now)
        store.lease_due(stuck.id[0], {due_work.BOT_MOVE: 100_000, due_work.BOTS_ONLY_MOVE: 100_000})
    store.set_due(late.id, due_work.BOTS_ONLY_MOVE, now - 60_000)
    overdue, taken = wrong()
    assert overdue[:2] == ("error", "due list")
    assert (
        f"1 pieces of work (1 {due_work.BOTS_ONLY_MOVE}; games {late.id}) are overdue" in overdue[2]
    )
    assert "bailli relay" in overdue[3]
    assert taken[:2] == ("warning", "due list")
    assert stuck.id in taken[2]


@pytest.mark.usefixtures("staffed")
def test_queues_that_lag(queues: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = Queue(FAST, connection=queues, serializer=JSONSerializer)
    fast.enqueue_call("workers.jobs.work", args=("bot", "a" * 26), job_id="late")
    monkeypatch.setattr(doctor_checks, "MAX_LAGS", {FAST: -1.0, SLOW: 60.0})
    (lag,) = wrong()
    assert lag[:2] == ("warning", "queues")
    assert lag[2].startswith("1 jobs wait for fast work, the first for 0 s")
    job = fast.fetch_job("late")
    assert job is not None
    job.delete(remove_from_queue=False)
    assert [each for each in wrong() if "the first for 0 s" not in each[2]] == []


@pytest.mark.usefixtures("staffed")
def test_jobs_that_failed(queues: Redis, context: WorkerContext) -> None:
    fast = Queue(FAST, connection=queues, serializer=JSONSerializer)
    fast.enqueue_call("workers.jobs.nothing_of_the_kind", failure_ttl=60)
    build_worker(FAST, context, queues).work(burst=True, logging_level="CRITICAL")
    found = [text for _, about, text, _ in wrong() if about == "queues"]
    assert found == ["1 jobs of fast work failed in the last hour"]


@pytest.mark.usefixtures("staffed")
def test_an_archive_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAILLI_ARCHIVE_S", "60")
    assert wrong() == []
    (tmp_path / "archive").mkdir()

    def refused(**_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor_checks.tempfile, "TemporaryFile", refused)
    (found,) = wrong()
    assert found[:2] == ("error", "archive")
    assert found[2].endswith("archive can't be written: Permission denied")


class Strange(BaseHTTPRequestHandler):
    """An API of another time and another version, or none at all."""

    answers: dict[str, tuple[int, bytes]] = {}  # noqa: RUF012
    hour = 0

    def do_GET(self) -> None:
        status, body = self.answers.get(self.path, (404, b""))
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string(int(time.time()) + self.hour))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def strange() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Strange) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{here.server_port}"
        here.shutdown()


@pytest.mark.usefixtures("staffed")
def test_another_api(strange: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (dead,) = wrong("--url", f"http://127.0.0.1:{free_port()}")
    assert dead[:2] == ("error", "API")
    assert "/livez: no response" in dead[2]
    other = {"/livez": (200, b"{}"), "/": (200, b'{"version": "0.0.1"}')}
    monkeypatch.setattr(Strange, "answers", other)
    monkeypatch.setattr(Strange, "hour", -3600)
    unready, version, clock = wrong("--url", strange)
    assert unready[:2] == ("error", "API")
    assert "/readyz: 404" in unready[2]
    assert version[1:3] == ("version", f"the API has version 0.0.1, this is {own()}")
    assert clock[:2] == ("warning", "clock")
    assert "behind this machine's" in clock[2]
    other |= {"/readyz": (200, b"{}"), "/": (200, json.dumps({"version": own()}).encode())}
    assert "serves another contract" in wrong("--url", strange)[0][2]
    other["/"] = (200, b"hello")
    assert "has version unknown" in wrong("--url", strange)[0][2]


def own() -> str:
    return doctor_checks.version("bailli")


def test_servers_that_do_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://:secretword@127.0.0.1:{free_port()}/0")
    monkeypatch.setenv("BAILLI_DATA", str(tmp_path))
    found = wrong()
    assert [each[1] for each in found] == ["store", "queues", "clock", "due list", "queues"]
    assert "secretword" not in str(found)


@pytest.mark.usefixtures("queues")
def test_for_people_each_finding_is_a_line_and_what_to_do_another() -> None:
    shown = CliRunner().invoke(main, ["doctor"])
    assert shown.exit_code == 1
    lines = shown.output.splitlines()
    assert lines[0] == "ok       store     in order"
    at = lines.index("error    workers   no worker does fast work")
    assert lines[at + 1] == "                   → start `bailli worker fast`"


def test_the_server_of_a_service_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setenv("BAILLI_DATA", str(tmp_path))
    shown = CliRunner().invoke(main, ["doctor"])
    assert shown.exit_code == 1
    assert "which does not run under" in shown.output
    with EmbeddedServer(tmp_path / "redis", socket_path=tmp_path / "redis.sock"):
        assert {each[1] for each in wrong()} == {"workers"}


def test_a_store_of_another_time(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_store(server.url)) as store:
        assert isinstance(store, RedisStore)
        (well,) = doctor_checks.check_clock(store)
        assert well.level == "ok"
        monkeypatch.setattr(RedisStore, "now", lambda _: int(time.time() * 1000) + 90_000)
        (ahead,) = doctor_checks.check_clock(store)
    assert ahead.level == "warning"
    assert "90.0 s ahead of" in ahead.text
