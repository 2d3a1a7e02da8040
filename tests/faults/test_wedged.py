"""A wedged worker is replaced by gunicorn's time-out, and the retry with the same key succeeds."""

from __future__ import annotations

import http.client
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.faults.local_service import children
from tests.live.api_server import Client, path_of, served

QUICK = "--timeout 2 --graceful-timeout 1"
"""Times (s) for the impatient; those of `gunicorn.conf.py` are longer."""


def hung(port: int, path: str, body: Any, headers: dict[str, str], seconds: float) -> None:
    """Sends a request that is not answered within so many seconds, or whose connection breaks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    connection.request("POST", path, json.dumps(body), headers)
    try:
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException):
        return
    finally:
        connection.close()
    raise AssertionError(f"answered: {answer.status} {answer.headers}")


@pytest.mark.parametrize(
    ("when", "arguments"),
    [
        ("after", QUICK),
        pytest.param("before", QUICK, marks=pytest.mark.long),
        pytest.param("after", "", marks=pytest.mark.long),
    ],
)
def test_a_wedged_worker_is_replaced(
    redis_url: str, tmp_path: Path, when: str, arguments: str
) -> None:
    """The only worker spins for ever, before or after the command was carried out."""
    wedge = tmp_path / "wedge"
    wedge.touch()
    with served(
        redis_url,
        tmp_path,
        app="tests.faults.wedging:app",
        WEDGE=str(wedge),
        BAILLI_WEB_WORKERS="1",
        GUNICORN_CMD_ARGS=arguments,
    ) as api:
        ana = Client(api.port)
        path = path_of(ana.play())
        first = ana.get(f"{path}/moves")["moves"][0]
        asked = {"seat": first["seat"], "command": first["command"]}
        version = ana.get(path)["version"]
        (wedged,) = children(api.process.pid)
        headers = {
            "Authorization": f"Bearer {ana.token}",
            "Content-Type": "application/json",
            "Idempotency-Key": "once",
        }
        hung(api.port, f"{path}/commands", asked, {**headers, "Wedge": when}, 60)
        status, told, body = ana.ask("POST", f"{path}/commands", asked, Idempotency_Key="once")
        assert status == 201
        assert told.get("Idempotent-Replayed") == ("true" if when == "after" else None)
        assert body["events"][0]["version"] == version + 1
        events = ana.get(f"{path}/events?after={version}")["events"]
        assert events == body["events"]
        (fresh,) = children(api.process.pid)
        assert fresh != wedged


def test_a_worker_that_stands_still_is_replaced(redis_url: str, tmp_path: Path) -> None:
    """Stopped by a signal it hears no other; it is killed all the same."""
    with served(redis_url, tmp_path, BAILLI_WEB_WORKERS="1", GUNICORN_CMD_ARGS=QUICK) as api:
        ana = Client(api.port)
        path = path_of(ana.play())
        first = ana.get(f"{path}/moves")["moves"][0]
        (stopped,) = children(api.process.pid)
        os.kill(stopped, signal.SIGSTOP)
        assert ana.send(path, first["command"], first["seat"]) > 0
        (fresh,) = children(api.process.pid)
        assert fresh != stopped
