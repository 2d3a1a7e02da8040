"""What the generator must know to send what it means: bounds in bytes, keys used once; and how much

of what it finds to send.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from typing import Any

import schemathesis
from hypothesis import strategies

_KEY = re.compile(r"[!#-~]{1,255}")
_WAIT = re.compile(r"wait=([0-9]{1,2})")
_used = itertools.count()

EVERY = int(os.environ.get("EVERY", "1"))
FIRST = 60
_bodies: Counter[Any] = Counter()

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
def filter_case(context: Any, case: Any) -> bool:
    """Sends all bodies at the bounds of small schemas, and every so many-th where there are more.

    An operation that takes commands, options or tournaments has a thousand.
    """
    found = case.meta.phase.data
    if case.meta.phase.name.value != "coverage" or found.parameter_location != "body":
        return True
    kind = case.operation.label, case.meta.generation.mode
    _bodies[kind] += 1
    return _bodies[kind] <= FIRST or _bodies[kind] % EVERY == 0


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
