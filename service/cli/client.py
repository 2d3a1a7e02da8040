"""Calls to a running service over HTTP, with the standard library."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any, Final

import click

from ..config import Settings

TIMEOUT: Final = 10.0
"""Seconds that a response may take."""

TOKEN: Final = "BAILLI_TOKEN"  # noqa: S105
"""The environment variable with the caller's token, if there is one."""


class RequestFailed(click.ClickException):
    """The service responded with an error, or not at all."""


def default_url() -> str:
    """Returns the URL at which this machine's service listens by its settings."""
    settings = Settings.from_environment()
    return f"http://{settings.host}:{settings.port}"


def call_api(url: str, path: str, body: Any = None, token: str | None = None) -> Any:
    """Returns the response's JSON. POST with a body, GET without. Raises `RequestFailed`."""
    token = token or os.environ.get(TOKEN)
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url + path, data, headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise RequestFailed(f"{path}: {_describe(error)}") from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "reason", fault)
        raise RequestFailed(f"no response from {url}: {reason}") from None


def _describe(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            problem = json.load(error)
            return f"{error.code} {problem.get('detail') or problem['title']}"
        except (ValueError, KeyError, AttributeError):
            return f"{error.code} {error.reason}"
