"""Logging: one JSON object per line on standard error.

Each line has `time`, `level`, `logger` and `event`, and the facts known of the current work
(`service.games.tracing`): `request`, `game`, `seat`, `kind`. No line holds a token, code or secret:
none is ever logged, and whatever looks like one is redacted as well.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import orjson
import structlog
from structlog.typing import Processor

from .config import LogLevel
from .games import tracing

REDACTED: Final = "[redacted]"
_QUOTED: Final = re.compile(r"(?<=^Error handling request ).*|[\"'].*(?=[\"'])[\"']", re.DOTALL)
_SECRET: Final = re.compile(r"(?:b[lcw]|whsec)_[A-Za-z0-9_+/=-]{16,}")

Line = MutableMapping[str, Any]


class JsonHandler(logging.StreamHandler[Any]):
    """Writes lines of JSON to standard error, whatever stream that is at the moment."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        shared: list[Processor] = [
            structlog.stdlib.add_logger_name,
            structlog.stdlib.add_log_level,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        ]
        ending: list[Processor] = [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _add_facts,
            structlog.processors.format_exc_info,
            _redact_requests,
            _redact_secrets,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ]
        self.setFormatter(
            structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=ending)
        )

    @property
    def stream(self) -> Any:
        """Standard error as it is now: tests and servers replace it."""
        return sys.stderr


def configure(level: LogLevel) -> None:
    """Logs everything from a level on. May be called again."""
    root = logging.getLogger()
    handler = next((each for each in root.handlers if isinstance(each, JsonHandler)), None)
    if handler is None:
        handler = JsonHandler()
        root.addHandler(handler)
    handler.setLevel(level.upper())
    # Others may have set a lower level, for handlers of their own.
    root.setLevel(min(root.level or logging.WARNING, handler.level))


def replace_handlers(logger: logging.Logger) -> None:
    """Logs what a library would write by handlers of its own like everything else."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True


def _add_facts(logger: Any, method: str, line: Line) -> Line:
    line.pop("message", None)  # left behind by other handlers; it equals the event
    for name, value in tracing.current_facts().items():
        line.setdefault(name, value)
    return line


def _redact_requests(logger: Any, method: str, line: Line) -> Line:
    """Redacts what gunicorn quotes of requests that it refuses or fails on: paths, queries."""
    if line.get("logger") == "gunicorn.error":
        line["event"] = _QUOTED.sub(REDACTED, str(line.get("event", "")))
    return line


def _redact_secrets(logger: Any, method: str, line: Line) -> Line:
    for name, value in line.items():
        if isinstance(value, str) and _SECRET.search(value):
            line[name] = _SECRET.sub(REDACTED, value)
    return line


def _to_json(line: Any, **_: Any) -> str:
    return orjson.dumps(line, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
