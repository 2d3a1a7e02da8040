"""Calls a running service over HTTP, by the standard library."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any, Final

import click

from ..config import Settings

TIMEOUT: Final = 10.0
"""Seconds that an answer may take."""

TOKEN: Final = "BAILLI_TOKEN"  # noqa: S105
"""The variable that holds the caller's token, if it has one."""


class Refused(click.ClickException):
    """The service answered with an error, or not at all."""


def default_url() -> str:
    """Returns where this machine's service listens by its settings."""
    settings = Settings.from_environment()
    return f"http://{settings.host}:{settings.port}"


def call(url: str, path: str, body: Any = None, token: str | None = None) -> Any:
    """Returns the answer's JSON. POST with a body, GET without. Raises `Refused` with one line."""
    token = token or os.environ.get(TOKEN)
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    asked = urllib.request.Request(url + path, data, headers)  # noqa: S310
    try:
        with urllib.request.urlopen(asked, timeout=TIMEOUT) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(f"{path}: {_said(error)}") from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "reason", fault)
        raise Refused(f"no answer from {url}: {reason}") from None


def _said(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            problem = json.load(error)
            return f"{error.code} {problem.get('detail') or problem['title']}"
        except (ValueError, KeyError, AttributeError):
            return f"{error.code} {error.reason}"
