"""Lines of the log: one JSON object each, with what is known, and without secrets."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from service import logs
from service.games import tracing
from service.games.tokens import new_token

log = logging.getLogger("house.room")


@pytest.fixture(autouse=True)
def _nothing_stays_configured() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What was written since this was called last."""
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_has_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    with tracing.traced(request="r-1", game="g", seat=0):
        log.info("%s things", 3, extra={"ms": 1.5, "seat": 2, "path": {1}})
    log.debug("nobody asked")
    (line,) = lines(capsys)
    assert line.pop("time").endswith("Z")
    assert line == {
        "event": "3 things",
        "level": "info",
        "logger": "house.room",
        "request": "r-1",
        "game": "g",
        "seat": 2,
        "ms": 1.5,
        "path": "{1}",
    }


def test_what_looks_like_a_secret_is_struck_out(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    token, code = new_token().text, "bc_" + "c" * 43
    try:
        raise ValueError(f"no {token}")
    except ValueError:
        log.exception("with %s", code, extra={"note": f"a whsec_{'d' * 40}= b"})
    (line,) = lines(capsys)
    assert token[3:] not in str(line)
    assert line["event"] == f"with {logs.REDACTED}"
    assert line["note"] == f"a {logs.REDACTED} b"
    assert line["exception"].endswith(f"ValueError: no {logs.REDACTED}")


def test_levels_and_being_called_again(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    logs.configure("error")
    log.warning("less")
    log.error("more")
    assert [line["event"] for line in lines(capsys)] == ["more"]


def test_a_library_that_writes_by_itself_is_taken_over(capsys: pytest.CaptureFixture[str]) -> None:
    own = logging.getLogger("house.library")
    own.addHandler(logging.StreamHandler())
    own.propagate = False
    logs.configure("warning")
    logs.replace_handlers(own)
    own.warning("hello")
    assert [line["logger"] for line in lines(capsys)] == ["house.library"]


@pytest.mark.parametrize(
    "told",
    [
        "Invalid request from ip=::1: Invalid HTTP request line: 'GET /v1/games?q=\\'hidden'",
        'Invalid request from ip=::1: Invalid HTTP Version: "hidden\'"',
        "Error handling request GET /hidden?q=hidden",
    ],
)
def test_requests_that_gunicorn_refuses_are_not_quoted(
    told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure("info")
    logging.getLogger("gunicorn.error").warning(told)
    (line,) = lines(capsys)
    assert "hidden" not in str(line)
    assert line["event"] == told[: len(line["event"]) - len(logs.REDACTED)] + logs.REDACTED
