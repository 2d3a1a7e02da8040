"""What the generator must know to send what it means: bounds in bytes, keys used once."""

from __future__ import annotations

import itertools
import os
import re
from typing import Any

import schemathesis
from hypothesis import strategies

_KEY = re.compile(r"[!#-~]{1,255}")
_WAIT = re.compile(r"wait=([0-9]{1,2})")
_used = itertools.count()

for longest in (64, 80):
    schemathesis.openapi.format(
        f"utf8-{longest}",
        strategies.text(min_size=1, max_size=longest // 4).filter(
            lambda text, longest=longest: len(text.encode(errors="replace")) <= longest
        ),
    )


_URL = re.compile(r"https?://[^/?]*")


def _nobody(body: Any) -> None:
    """Lets webhooks lead to a name that exists nowhere: tests call no strangers."""
    if isinstance(body, dict) and isinstance(body.get("url"), str):
        body["url"] = _URL.sub("https://receiver.invalid", body["url"], count=1)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Makes each idempotency key one that was never used: a key that recurs is a fault of ours.

    And has no request held for long. One that lacks the token on purpose stays as it is: with any
    change it would count as a good one and get the token.
    """
    _nobody(case.body)
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and _KEY.fullmatch(key):
        case.headers["Idempotency-Key"] = f"{key[:200]}-{os.getpid()}-{next(_used)}"
    lacking = case.meta and getattr(case.meta.phase.data, "parameter", None) == "Authorization"
    held = _WAIT.fullmatch(str((case.headers or {}).get("Prefer")))
    if held and int(held[1]) > 1 and not lacking:
        case.headers["Prefer"] = "wait=1"
