"""Every way in which two sendings and the looks between them may fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.store import (
    GENESIS_HASH,
    MAX_BEHIND_MS,
    Append,
    Appended,
    Conflict,
    Gone,
    IdempotencyKey,
    IndexChange,
    KeyTaken,
    MemoryStore,
    OutcomeUnknown,
    StreamSlice,
    Unavailable,
    append_and_resolve,
)

from .streams import entries

GAME = "a" * 26
SENDINGS = ("answered", "lost", "unheard", "late", "refused")
LOOKS = ("seen", "unseen")
RIVALS = ("nothing", "wins", "takes the key", "writes on")


class Unsteady(MemoryStore):
    """A store on a bad way. What each sending and each look meets is told beforehand.

    "lost": the request; "unheard": the answer; "late": the request comes before some later
    question or, at last, when all is over; a rival may write between any two questions.
    """

    def __init__(
        self, sendings: Sequence[str], looks: Sequence[str], delays: Sequence[int],
        rivals: Sequence[Callable[[MemoryStore], object]],
    ) -> None:  # fmt: skip
        super().__init__()
        self.sendings = list(sendings)
        self.looks = list(looks)
        self.delays = list(delays)
        self.rivals = list(rivals)
        self.under_way: list[tuple[int, Append]] = []
        self.sent = 0

    def append(self, append: Append) -> Appended | Conflict | KeyTaken:
        self._meanwhile()
        self.sent += 1
        fate = self.sendings.pop(0)
        if fate == "refused":
            raise Unavailable(fate)
        if fate == "late":
            self.under_way.append((self.delays.pop(0), append))
        if fate in ("lost", "late"):
            raise OutcomeUnknown(fate)
        answer = super().append(append)
        if fate == "unheard":
            raise OutcomeUnknown(fate)
        return answer

    def read(self, game: str, first: int = 1, key: str | None = None) -> StreamSlice:
        self._meanwhile()
        if self.looks.pop(0) == "unseen":
            raise Unavailable("unseen")
        return super().read(game, first, key)

    def land(self) -> tuple[str, ...]:
        """All that is under way comes; returns the stream's words."""
        for _, append in self.under_way:
            super().append(append)
        self.under_way = []
        return tuple(entry.type for entry in super().read(GAME).entries)

    def _meanwhile(self) -> None:
        landing = [append for wait, append in self.under_way if wait == 0]
        self.under_way = [(wait - 1, append) for wait, append in self.under_way if wait]
        for append in landing:
            super().append(append)
        if self.rivals:
            self.rivals.pop(0)(self)


def rival(kind: str) -> Callable[[MemoryStore], object]:
    def write(store: MemoryStore) -> object:
        stream = MemoryStore.read(store, GAME).entries
        head = stream[-1].hash if stream else GENESIS_HASH
        if kind == "nothing" or (kind == "wins" and stream) or (kind == "writes on" and not stream):
            return None
        key = IdempotencyKey("k", "theirs") if kind == "takes the key" else None
        return MemoryStore.append(
            store, Append(GAME, len(stream), head, entries(head, "theirs"), key)
        )

    return write


@settings(max_examples=600, deadline=None, database=None)
@given(
    sendings=st.lists(st.sampled_from(SENDINGS), min_size=2, max_size=2),
    looks=st.lists(st.sampled_from(LOOKS), min_size=3, max_size=3),
    delays=st.lists(st.integers(0, 5), min_size=2, max_size=2),
    rivals=st.lists(st.sampled_from(RIVALS), max_size=5),
    keyed=st.booleans(),
)
def test_what_is_said_is_so_for_ever(
    sendings: list[str], looks: list[str], delays: list[int], rivals: list[str], keyed: bool
) -> None:
    store = Unsteady(sendings, looks, delays, [rival(kind) for kind in rivals])
    key = IdempotencyKey("k", "mine") if keyed else None
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine", "too"), key)
    said: object
    try:
        said = append_and_resolve(store, append)
    except (OutcomeUnknown, Unavailable) as fault:
        said = fault
    stream = store.land()
    assert store.sent <= 2
    assert stream.count("mine") == stream.count("too") <= 1
    if isinstance(said, Appended):
        assert said.version == 2
        assert stream[:2] == ("mine", "too")
    elif not isinstance(said, OutcomeUnknown):
        assert "mine" not in stream


def test_a_first_refusal_is_not_sent_again() -> None:
    store = Unsteady(["refused", "answered"], ["seen"], [], [])
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"))
    with pytest.raises(Unavailable):
        append_and_resolve(store, append)
    assert store.sent == 1


@pytest.mark.parametrize("looks", [["unseen"], ["seen", "unseen"]])
def test_a_look_that_fails_leaves_it_open(looks: list[str]) -> None:
    store = Unsteady(["unheard", "unheard"], looks, [], [])
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"))
    if looks == ["seen", "unseen"]:
        store.sendings = ["lost", "unheard"]
    with pytest.raises(OutcomeUnknown):
        append_and_resolve(store, append)
    assert store.land() == ("mine",)


def test_a_refused_second_sending_leaves_it_open() -> None:
    """The first may still land, so it is no refusal."""
    store = Unsteady(["late", "refused"], ["seen"], [9], [])
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"))
    with pytest.raises(OutcomeUnknown):
        append_and_resolve(store, append)
    assert store.land() == ("mine",)


def test_a_second_sending_is_not_refused_for_its_time() -> None:
    """The first one might then still be in time: both sendings are of one append, or of none."""
    store = Unsteady(["late", "answered"], ["seen"], [9], [])
    late = store.clock() - MAX_BEHIND_MS - 1
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"), decided_at=late)
    assert append_and_resolve(store, append) == Appended(1)
    assert store.land() == ("mine",)


def test_its_own_key_is_no_refusal() -> None:
    """The first sending lands between the look and the second, which finds its key taken."""
    store = Unsteady(["late", "answered"], ["seen", "seen"], [1], [])
    append = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"), IdempotencyKey("k", "b"))
    assert append_and_resolve(store, append) == Appended(1)
    assert store.land() == ("mine",)


def test_a_game_that_has_gone_takes_nothing_more() -> None:
    store = Unsteady(["answered", "late"], ["seen"], [0], [])
    first = Append(GAME, 0, GENESIS_HASH, entries(GENESIS_HASH, "mine"))
    append_and_resolve(store, first)
    store.rivals = [
        lambda one: MemoryStore.remove_stream(one, GAME, 1, "deleted", b"", IndexChange(0))
    ]
    head = first.entries[-1].hash
    with pytest.raises(Gone):
        append_and_resolve(
            store, replace(first, expected_version=1, expected_hash=head,
                           entries=entries(head, "more")),
        )  # fmt: skip
