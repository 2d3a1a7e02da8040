"""Verifiable chance: every draw of a game follows from one sealed seed and can be checked later.

Draw *i* (from 0) with bound *n* is made from HMAC-SHA-256 with the seed as the key over

    chance id ‖ 0x00 ‖ digest ‖ i (8 bytes) ‖ attempt (4 bytes)

where `digest` is SHA-256 over the seats' entropies in seat order, each with its length as 4 bytes
(0 where there is none); numbers are big-endian. The first 8 bytes of the MAC are a number; at or
above ⌊2⁶⁴/n⌋·n it is rejected and the next attempt (from 0) is made, otherwise it is taken modulo
n. `docs/chance.md` has test vectors; `examples/verify_record.py` is an independent verifier.

Chance is lazy: nothing is shuffled ahead. What a pile, deck or bag may still bring is a multiset,
and one thing is picked from it when it is needed. A chance that may not or cannot draw raises
`Stopped`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from collections.abc import Sequence
from typing import NamedTuple

from .plain import Detail, Misshapen

SEED_BYTES = 32
ENTROPY_BYTES = 64


class Draw(NamedTuple):
    """One draw: its number in the game (from 0), its bound n, and the value, 0 … n - 1."""

    number: int
    bound: int
    value: int


class Stopped(Exception):
    """The chance may not or cannot draw.

    `bound` is the number of things that the draw is among; `ids` and `counts` tell, for a pick,
    what may come (ids with a count of 0 left in), and are empty for a number.
    """

    def __init__(self, bound: int, ids: Sequence[str] = (), counts: Sequence[int] = ()) -> None:
        super().__init__(f"a draw of 1 in {bound} is due")
        self.bound = bound
        self.ids = tuple(ids)
        self.counts = tuple(counts)


class Chance:
    """Where draws come from. `draws` lists those made so far by this object, in order."""

    def __init__(self, start: int = 0) -> None:
        self.next_index = start
        self.draws: list[Draw] = []

    def number(self, bound: int) -> int:
        """Returns a number from 0 to bound - 1 (bound ≥ 1; 1 is a draw too)."""
        return self._record(bound, self._value(bound))

    def pick(self, ids: Sequence[str], counts: Sequence[int]) -> int:
        """Returns the index of the id picked from a multiset.

        `counts[j]` is how many things of `ids[j]` there are; ids stand in data order. The value
        drawn, k, stands for the (k + 1)-th thing counted through the kinds in that order.
        """
        return locate(self.number(sum(counts)), counts)

    def _value(self, bound: int) -> int:
        raise NotImplementedError

    def _record(self, bound: int, value: int) -> int:
        self.draws.append(Draw(self.next_index, bound, value))
        self.next_index += 1
        return value


def locate(value: int, counts: Sequence[int]) -> int:
    """Returns the index of the kind that holds the (value + 1)-th thing of a multiset."""
    for index, count in enumerate(counts):
        if value < count:
            return index
        value -= count
    raise ValueError("the value lies outside the multiset")


class SealedChance(Chance):
    """The chance of a game: numbers derived from its seed, from draw number `start` on."""

    def __init__(
        self, seed: bytes, chance_id: str, entropies: Sequence[bytes] = (), start: int = 0
    ) -> None:
        super().__init__(start)
        self._seed = seed
        self._prefix = chance_id.encode("ascii") + b"\0" + entropy_digest(entropies)

    def _value(self, bound: int) -> int:
        return sealed_value(self._seed, self._prefix, self.next_index, bound)


class ArrangedChance(Chance):
    """Outcomes given as a list, consumed in draw order.

    An outcome is the id of the thing that comes (for a pick) or the number (for a number). Used
    up, it raises `Stopped`; an outcome that cannot come raises `Misshapen` with its index as the
    pointer, or `Stopped` too if the chance is `forgiving`.
    """

    def __init__(
        self, outcomes: Sequence[str | int], start: int = 0, *, forgiving: bool = False
    ) -> None:
        super().__init__(start)
        self._outcomes = outcomes
        self._forgiving = forgiving

    def number(self, bound: int) -> int:
        stop = Stopped(bound)
        outcome = self._next(stop)
        if type(outcome) is not int or not 0 <= outcome < bound:
            raise self._refusal(stop, Detail("must be a number from 0 to {last}", last=bound - 1))
        return self._record(bound, outcome)

    def pick(self, ids: Sequence[str], counts: Sequence[int]) -> int:
        bound = sum(counts)
        stop = Stopped(bound, ids, counts)
        outcome = self._next(stop)
        index = next((j for j, name in enumerate(ids) if name == outcome and counts[j]), None)
        if index is None:
            possible = ", ".join(name for name, count in zip(ids, counts, strict=True) if count)
            raise self._refusal(
                stop, Detail("cannot come here; possible are: {possible}", possible=possible)
            )
        self._record(bound, sum(counts[:index]))
        return index

    def _refusal(self, stop: Stopped, detail: Detail) -> Exception:
        return stop if self._forgiving else Misshapen(f"/{self.next_index}", detail)

    def _next(self, stop: Stopped) -> str | int:
        if self.next_index >= len(self._outcomes):
            raise stop
        return self._outcomes[self.next_index]


class RecordedChance(Chance):
    """Draws that were made before, given again in order.

    A draw asked with another bound than was recorded, or with another number, raises `Misshapen`
    with the index in the list as the pointer; used up, it raises `Stopped`.
    """

    def __init__(self, recorded: Sequence[Sequence[int]], start: int = 0) -> None:
        super().__init__(start)
        self._recorded = recorded

    def pick(self, ids: Sequence[str], counts: Sequence[int]) -> int:
        if len(self.draws) >= len(self._recorded):
            raise Stopped(sum(counts), ids, counts)
        return super().pick(ids, counts)

    def _value(self, bound: int) -> int:
        place = len(self.draws)
        if place >= len(self._recorded):
            raise Stopped(bound)
        index, recorded_bound, value = self._recorded[place]
        if index != self.next_index or recorded_bound != bound or not 0 <= value < bound:
            raise Misshapen(
                f"/{place}",
                "must be draw {index} of 1 in {bound}",
                index=self.next_index,
                bound=bound,
            )
        return value


class NoChance(Chance):
    """A chance that stops at the first draw."""

    def number(self, bound: int) -> int:
        raise Stopped(bound)

    def pick(self, ids: Sequence[str], counts: Sequence[int]) -> int:
        raise Stopped(sum(counts), ids, counts)


class FreeChance(Chance):
    """Draws from a plain generator: for bots' look-ahead, benchmarks and random tests."""

    def __init__(self, generator: random.Random, start: int = 0) -> None:
        super().__init__(start)
        self._generator = generator

    def _value(self, bound: int) -> int:
        return self._generator.randrange(bound)


def commitment(sealed: bytes) -> str:
    """Returns the hexadecimal SHA-256 that is published when something is sealed."""
    return hashlib.sha256(sealed).hexdigest()


def arranged_commitment(bits: bytes, outcomes: Sequence[str | int]) -> str:
    """Returns what is published for arranged chance: SHA-256 over the random bits and the

    outcomes as canonical JSON (a list in UTF-8 without white space, nothing escaped needlessly).
    """
    text = json.dumps(list(outcomes), separators=(",", ":"), ensure_ascii=False)
    return commitment(bits + text.encode())


def entropy_digest(entropies: Sequence[bytes]) -> bytes:
    """Returns SHA-256 over the entropies in seat order, each after its length in 4 bytes."""
    digest = hashlib.sha256()
    for entropy in entropies:
        digest.update(len(entropy).to_bytes(4, "big") + entropy)
    return digest.digest()


def sealed_value(seed: bytes, prefix: bytes, index: int, bound: int) -> int:
    """Returns the value of draw `index` with this bound; see the module's text."""
    limit = (1 << 64) // bound * bound
    attempt = 0
    while True:
        message = prefix + index.to_bytes(8, "big") + attempt.to_bytes(4, "big")
        number = int.from_bytes(hmac.digest(seed, message, "sha256")[:8], "big")
        if number < limit:
            return number % bound
        attempt += 1
