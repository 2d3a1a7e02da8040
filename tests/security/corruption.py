"""Spoils what was right: values of another type, size or place, in JSON, headers and queries."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SECONDS: Final = 1.0
"""How much of the processor's time an answer may take at most."""


DEEP: Final = {
    "<250 lists>": ("[", 250, "]"),
    "<900 lists>": ("[", 900, "]"),
    "<2000 lists>": ("[", 2_000, "]"),
    "<300 objects>": ('{"a":', 300, "}"),
}
"""Texts that stand for what is too deep to be handled here; it is written in their place."""

ODD: Final[list[Any]] = [
    None, True, False, 0, -1, 1, 7, 2**31, 2**53, 2**53 + 1, 2**63, 2**64 - 1, 2**64, -(2**63),
    10**30, 10**400, 1.5, 1.0, -0.0, 1e308, "", "0", "-1", "x" * 5_000, "\0", "\u202e", "\ud800",
    "é" * 100, "\U0001f600" * 64, "../../x", "%00", "__class__", "{most}", "{0.__class__}", [], {},
    [[]], {"": ""}, [0] * 2_000, {str(number): number for number in range(500)},
    *DEEP,
]  # fmt: skip
WAYS: Final = ("put", "drop", "double", "swap", "rename", "grow")

Spoil = tuple[int, str, Any, int]
SPOILS: Final = st.lists(
    st.tuples(
        st.integers(0, 2**20), st.sampled_from(WAYS), st.sampled_from(ODD), st.integers(0, 2**10)
    ),
    min_size=1,
    max_size=4,
)


def spoiled(value: Any, spoils: list[Spoil]) -> Any:
    """Returns a copy of plain data with something wrong in so many places."""
    whole = {"value": copy.deepcopy(value)}
    for place, way, odd, other in spoils:
        nodes = _nodes(whole)
        holder, key = nodes[place % len(nodes)]
        if way == "put":
            holder[key] = copy.deepcopy(odd)
        elif way == "drop" and holder is not whole:
            del holder[key]
        elif way == "double" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif way == "swap":
            there, where = nodes[other % len(nodes)]
            holder[key], there[where] = (
                copy.deepcopy(there[where]),
                copy.deepcopy(holder[key]),
            )
        elif way == "rename" and isinstance(holder, dict) and holder is not whole:
            holder[f"{key}{other}"] = holder.pop(key)
        elif way == "grow" and isinstance(holder[key], int):
            holder[key] = holder[key] * 10 + other - 512
    return whole["value"]


def _nodes(whole: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [whole]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found


def written(value: Any, cut: int = 0) -> bytes:
    """Returns JSON, whatever is in it; with `cut`, so many bytes of it are missing at the end."""
    text = json.dumps(value).encode()
    for name, (opening, depth, closing) in DEEP.items():
        nested = f"{opening * depth}0{closing * depth}"
        text = text.replace(json.dumps(name).encode(), nested.encode())
    return text[: len(text) - cut % len(text)] if cut else text


def texts(*right: str) -> st.SearchStrategy[str]:
    """What may stand in a header or query: anything, and what is nearly one of the right texts."""
    anything = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60)
    odd = st.sampled_from(
        ["", " ", '"', '""', "*", ",", ";", "=", "W/", "0" * 5_000, "9" * 400, "-1", "1e9", "²",
         '"' * 3_000, '"a",' * 1_000, "\t", "\x7f", "\xff" * 10, "null", "%0A", "q=0", ";q=nan"]
    )  # fmt: skip
    near = st.builds(
        lambda text, at, piece, gone: (
            text[: at % (len(text) + 1)] + piece + text[at % (len(text) + 1) + gone :]
        ),
        st.sampled_from(right or ("",)),
        st.integers(0, 200),
        st.one_of(anything, odd),
        st.integers(0, 5),
    )
    return st.one_of(near, odd, anything, st.sampled_from(right or ("",)))


def many(count: int, strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """Checks so many examples: always the same ones where they are few."""

    @settings(
        max_examples=count,
        derandomize=count < 1_000,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(example: Any) -> None:
        began = time.thread_time()
        check(example)
        assert time.thread_time() - began < SECONDS

    each()
