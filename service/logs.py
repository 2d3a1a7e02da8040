"""What is written down for people: one JSON object a line on standard error.

Each line has `time`, `level`, `logger` and `event`, and whatever is known of the work at hand
(`service.games.tracing`): `request`, `game`, `seat`, `kind`. No token, code or secret is in any of
them: nothing of the kind is ever told to the log, and what looks like one is struck out besides.
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

STRUCK: Final = "[struck out]"
_QUOTED: Final = re.compile(r"(?<=^Error handling request ).*|[\"'].*(?=[\"'])[\"']", re.DOTALL)
_SECRET: Final = re.compile(r"(?:b[lcw]|whsec)_[A-Za-z0-9_+/=-]{16,}")

Line = MutableMapping[str, Any]


class Lines(logging.StreamHandler[Any]):
    """Writes lines to standard error, whatever that is at the moment."""

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
            _known,
            structlog.processors.format_exc_info,
            _without_requests,
            _without_secrets,
            structlog.processors.JSONRenderer(serializer=_json),
        ]
        self.setFormatter(
            structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=ending)
        )

    @property
    def stream(self) -> Any:
        """Standard error as it is now: tests and servers put others in its place."""
        return sys.stderr


def configure(level: LogLevel) -> None:
    """Lets everything from a level on be written down. May be called again."""
    root = logging.getLogger()
    lines = next((each for each in root.handlers if isinstance(each, Lines)), None)
    if lines is None:
        lines = Lines()
        root.addHandler(lines)
    lines.setLevel(level.upper())
    # Others may have asked for more, for handlers of their own.
    root.setLevel(min(root.level or logging.WARNING, lines.level))


def take_over(logger: logging.Logger) -> None:
    """Has what a library writes by handlers of its own written down like all else."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True


def _known(logger: Any, method: str, line: Line) -> Line:
    line.pop("message", None)  # other handlers leave it behind; it is the event
    for name, value in tracing.current_facts().items():
        line.setdefault(name, value)
    return line


def _without_requests(logger: Any, method: str, line: Line) -> Line:
    """Strikes out what gunicorn quotes of requests that it refuses or fails at: paths, queries."""
    if line.get("logger") == "gunicorn.error":
        line["event"] = _QUOTED.sub(STRUCK, str(line.get("event", "")))
    return line


def _without_secrets(logger: Any, method: str, line: Line) -> Line:
    for name, value in line.items():
        if isinstance(value, str) and _SECRET.search(value):
            line[name] = _SECRET.sub(STRUCK, value)
    return line


def _json(line: Any, **_: Any) -> str:
    return orjson.dumps(line, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
