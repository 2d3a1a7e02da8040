"""Chance follows from its seed as documented: checked against a derivation written apart."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules import chance
from service.rules.chance import (
    ArrangedChance,
    Chance,
    Draw,
    FreeChance,
    NoChance,
    RecordedChance,
    SealedChance,
    Stopped,
)
from service.rules.plain import Misshapen

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "chance.md").read_text()
BLOCKS: list[dict[str, Any]] = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
]
VECTORS = [block for block in BLOCKS if "seed" in block]
ARRANGED = [block for block in BLOCKS if "bits" in block]


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA-256 by its definition (RFC 2104)."""
    key = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()


def derived(vector: dict[str, Any], index: int, bound: int) -> tuple[int, int]:
    """The value of a draw and the attempt that gave it, from the page's words alone."""
    entropies = b"".join(
        len(raw).to_bytes(4, "big") + raw
        for raw in (bytes.fromhex(entropy) for entropy in vector["entropies"])
    )
    prefix = vector["chance_id"].encode() + b"\0" + hashlib.sha256(entropies).digest()
    for attempt in range(100):
        message = prefix + index.to_bytes(8, "big") + attempt.to_bytes(4, "big")
        number = int.from_bytes(mac(bytes.fromhex(vector["seed"]), message)[:8], "big")
        if number < 2**64 // bound * bound:
            return number % bound, attempt
    raise AssertionError("rejected too often")


def _sealed(vector: dict[str, Any], start: int = 0) -> SealedChance:
    entropies = [bytes.fromhex(entropy) for entropy in vector["entropies"]]
    return SealedChance(bytes.fromhex(vector["seed"]), vector["chance_id"], entropies, start)


def test_there_are_three_vectors() -> None:
    assert len(VECTORS) == 3
    assert len(ARRANGED) == 1
    assert any(draw["attempt"] for vector in VECTORS for draw in vector["draws"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["chance_id"] or "none")
def test_vectors(vector: dict[str, Any]) -> None:
    seed = bytes.fromhex(vector["seed"])
    assert chance.commitment(seed) == vector["commitment"] == hashlib.sha256(seed).hexdigest()
    digest = chance.entropy_digest([bytes.fromhex(entropy) for entropy in vector["entropies"]])
    assert digest.hex() == vector["digest"]
    for draw in vector["draws"]:
        value = _sealed(vector, draw["i"]).number(draw["n"])
        assert (value, draw["attempt"]) == derived(vector, draw["i"], draw["n"])
        assert value == draw["value"]


def test_the_arranged_vector() -> None:
    vector = ARRANGED[0]
    bits = bytes.fromhex(vector["bits"])
    assert hashlib.sha256(bits + vector["canonical"].encode()).hexdigest() == vector["commitment"]
    assert chance.arranged_commitment(bits, vector["outcomes"]) == vector["commitment"]


@settings(deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.lists(st.binary(max_size=64), max_size=4),
    st.integers(0, 2**40),
    st.one_of(st.integers(1, 500), st.integers(2**62, 2**64)),
)
def test_any_draw_is_as_documented(
    seed: bytes, entropies: list[bytes], index: int, bound: int
) -> None:
    vector = {
        "seed": seed.hex(),
        "chance_id": "abc",
        "entropies": [entropy.hex() for entropy in entropies],
    }
    made = _sealed(vector, index)
    value = made.number(bound)
    assert value == derived(vector, index, bound)[0]
    assert made.draws == [Draw(index, bound, value)]
    assert made.next_index == index + 1


def test_entropies_cannot_be_shifted_between_seats() -> None:
    assert chance.entropy_digest([b"a", b""]) != chance.entropy_digest([b"", b"a"])
    assert chance.entropy_digest([b"ab"]) != chance.entropy_digest([b"a", b"b"])


def test_values_are_spread_evenly() -> None:
    made = SealedChance(bytes(32), "spread")
    counts = Counter(made.number(6) for _ in range(6_000))
    assert set(counts) == set(range(6))
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 25  # chi-squared, 5


def test_a_pick_counts_through_the_kinds() -> None:
    counts = (2, 0, 3)
    assert [chance.locate(value, counts) for value in range(5)] == [0, 0, 2, 2, 2]
    with pytest.raises(ValueError, match="outside"):
        chance.locate(5, counts)
    for seed in range(20):
        made = SealedChance(bytes([seed] * 32), "x")
        index = made.pick(("a", "b", "c"), counts)
        assert index == chance.locate(made.draws[0].value, counts)
        assert made.draws[0].bound == 5


def test_a_draw_of_one_is_a_draw() -> None:
    made = SealedChance(bytes(32), "x")
    assert (made.number(1), made.pick(("a",), (1,))) == (0, 0)
    assert made.draws == [(0, 1, 0), (1, 1, 0)]


def test_arranged_outcomes_come_in_order() -> None:
    made = ArrangedChance(["c", 4, "a"])
    ids, counts = ("a", "b", "c"), (2, 1, 3)
    assert made.pick(ids, counts) == 2
    assert made.number(5) == 4
    assert made.pick(ids, counts) == 0
    assert made.draws == [(0, 6, 3), (1, 5, 4), (2, 6, 0)]
    with pytest.raises(Stopped) as caught:
        made.pick(ids, counts)
    assert (caught.value.bound, caught.value.ids, caught.value.counts) == (6, ids, counts)
    with pytest.raises(Stopped, match="1 in 5"):
        made.number(5)
    assert made.next_index == 3


@pytest.mark.parametrize("outcome", ["b", "z", 0, True])
def test_an_outcome_that_cannot_come_is_told(outcome: str | int) -> None:
    made = ArrangedChance(["a", outcome], 1)
    with pytest.raises(Misshapen, match=r"^/1: cannot come here; possible are: a, c$"):
        made.pick(("a", "b", "c"), (1, 0, 2))
    with pytest.raises(Stopped):
        ArrangedChance([outcome], forgiving=True).pick(("a", "b", "c"), (1, 0, 2))
    assert made.draws == []


@pytest.mark.parametrize("outcome", [5, -1, "a", True])
def test_a_number_that_cannot_come_is_told(outcome: str | int) -> None:
    with pytest.raises(Misshapen, match=r"^/0: must be a number from 0 to 4$"):
        ArrangedChance([outcome]).number(5)
    with pytest.raises(Stopped):
        ArrangedChance([outcome], forgiving=True).number(5)


def test_recorded_draws_are_given_again() -> None:
    first = SealedChance(bytes(32), "x", (), 7)
    picks = [first.number(9), first.pick(("a", "b"), (1, 4))]
    again = RecordedChance(first.draws, 7)
    assert [again.number(9), again.pick(("a", "b"), (1, 4))] == picks
    assert again.draws == first.draws
    with pytest.raises(Stopped, match="1 in 9"):
        again.number(9)
    with pytest.raises(Stopped) as caught:
        again.pick(("a", "b"), (1, 4))
    assert caught.value.ids == ("a", "b")


@pytest.mark.parametrize("draw", [(1, 9, 3), (0, 8, 3), (0, 9, 9), (0, 9, -1)])
def test_another_draw_than_was_recorded_is_told(draw: tuple[int, int, int]) -> None:
    with pytest.raises(Misshapen, match=r"^/0: must be draw 0 of 1 in 9$"):
        RecordedChance([draw]).number(9)


def test_no_chance_stops_at_once() -> None:
    with pytest.raises(Stopped):
        NoChance().number(2)
    with pytest.raises(Stopped) as caught:
        NoChance(5).pick(("a",), (3,))
    assert (caught.value.bound, caught.value.ids, caught.value.counts) == (3, ("a",), (3,))


def test_free_chance_draws_within_bounds() -> None:
    made = FreeChance(random.Random(1), 3)
    assert all(0 <= made.number(4) < 4 for _ in range(50))
    assert [draw.number for draw in made.draws] == list(range(3, 53))


def test_a_chance_must_say_where_values_come_from() -> None:
    with pytest.raises(NotImplementedError):
        Chance().number(2)
