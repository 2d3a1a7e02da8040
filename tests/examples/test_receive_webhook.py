"""The example receives what the service sends, and nothing else."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from service.games import game as games
from service.games.commands.requests import RequestContext
from service.games.webhooks.addresses import parse_target
from service.games.webhooks.service import WebhookService
from service.games.webhooks.signing import signature_header
from service.games.webhooks.types import TYPES
from service.rules.ruleset import rulesets
from service.store import wall_clock
from service.store.embedded import free_port
from tests.rules.toy import Pebbles
from tests.workers.tables import HOST, context, lay
from workers import jobs
from workers.context import WorkerContext
from workers.webhooks.delivery import deliver
from workers.webhooks.http_client import post

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "receive_webhook.py"
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()


class Running:
    """The example as a process."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.process = process

    def line(self) -> Any:
        out: IO[str] | None = self.process.stdout
        assert out is not None
        return json.loads(out.readline())

    def send(self, body: str, **changed: str) -> int | None:
        """Sends a signed message with some headers changed; returns the status."""
        now = int(time.time())
        headers = {
            "webhook-id": "msg_1",
            "webhook-timestamp": str(now),
            "webhook-signature": signature_header([SECRET], "msg_1", now, body),
            **{f"webhook-{name}": value for name, value in changed.items()},
        }
        return post(parse_target(self.url, True), headers, body.encode(), local=True).status


@pytest.fixture
def receiver() -> Iterator[Running]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(port)],
        env={**os.environ, "BAILLI_HOOK_SECRET": SECRET},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    limit = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert time.monotonic() < limit
            time.sleep(0.02)
    yield Running(process, port)
    process.kill()
    process.communicate()


def test_it_prints_what_the_service_tells(
    receiver: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**rulesets(), Pebbles.id: Pebbles()}
    monkeypatch.setattr(games, "rulesets", lambda: known)
    base = context(wall_clock)  # type: ignore[arg-type]
    here = WorkerContext(base.command_handler, base.life, local=True)
    webhook_service = WebhookService(here.command_handler.store, here.command_handler.repository)
    game = lay(here, "random", "random")
    own = webhook_service.add(game.id, receiver.url, TYPES, OTHER, RequestContext(HOST)).record.id
    webhook_service.rotate_secret(game.id, own, SECRET, 60_000, HOST.hash)  # both sign
    jobs.do_work(here, "bot", game.id)
    assert deliver(here, game.id, own) == 1
    told = receiver.line()
    assert (told["type"], told["data"]["game"]) == ("game.events", game.id)
    (line,) = webhook_service.list_deliveries(game.id, own, None, 10, HOST.hash)
    assert (line.status, line.outcome) == (204, "delivered")


def test_it_trusts_nothing_else(receiver: Running) -> None:
    now = int(time.time())
    assert receiver.send("[1]") == 204
    assert receiver.send("[1]") == 204, "the same again is taken, and not printed again"
    assert receiver.send("[2]", signature=signature_header([OTHER], "msg_1", now, "[2]")) == 400
    assert receiver.send("[2]", signature="v1,") == 400
    assert receiver.send("[2]", id="msg_2") == 400
    assert receiver.send("[2]", timestamp="soon") == 400
    old = now - 301
    late = signature_header([SECRET], "msg_3", old, "[3]")
    assert receiver.send("[3]", id="msg_3", timestamp=str(old), signature=late) == 400
    assert receiver.send("x" * 20_001) == 413
    both = f"v1,AAAA {signature_header([SECRET], 'msg_4', now, '[4]')}"
    assert receiver.send("[4]", id="msg_4", timestamp=str(now), signature=both) == 204
    assert [receiver.line(), receiver.line()] == [[1], [4]]
