"""What every event store promises, on every back end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from service.store import (
    GENESIS_HASH,
    LISTENING,
    MAX_AHEAD_MS,
    MAX_BEHIND_MS,
    MAX_BYTES,
    MAX_DELIVERIES,
    MAX_ENTRIES,
    Append,
    Appended,
    Conflict,
    DueWork,
    Gone,
    IdempotencyKey,
    IndexChange,
    KeyTaken,
    KeyUse,
    LeasedWork,
    ListedGame,
    Store,
    StoredWebhook,
    StreamSlice,
    WebhookChange,
    append_and_resolve,
    chain_entry,
    webhook_work_kind,
)

from .streams import append_after, entries, words

NewId = Callable[[], str]


def test_an_unknown_game_has_no_entries(store: Store, new_id: NewId) -> None:
    tail = store.read(new_id(), 1, "key")
    assert (tail.entries, tail.key_use) == ((), None)
    assert abs(tail.now - store.now()) < 5_000


def test_entries_come_back_as_they_were(store: Store, new_id: NewId) -> None:
    game = new_id()
    append = append_after(store, game, "one", "two", "three")
    assert store.append(append) == Appended(3)
    assert store.read(game).entries == append.entries
    tail = store.read(game, 2)
    assert tail == StreamSlice(2, append.entries[1:], tail.now, None)
    assert store.read(game, 4).entries == ()
    for first in range(1, 5):
        for last in range(5):
            assert store.read(game, first, last=last).entries == append.entries[first - 1 : last]


def test_bytes_of_every_kind_survive(store: Store, new_id: NewId) -> None:
    game = new_id()
    odd = chain_entry(GENESIS_HASH, "odd", 7, bytes(range(256)), b"\x00\xff|")
    assert store.append(Append(game, 0, GENESIS_HASH, (odd,))) == Appended(1)
    assert store.read(game).entries == (odd,)


def test_one_writer_wins_a_version(store: Store, new_id: NewId) -> None:
    game = new_id()
    first, second = (append_after(store, game, word) for word in ("mine", "yours"))
    assert store.append(first) == Appended(1)
    assert store.append(second) == Conflict(1)
    assert words(store, game) == ["mine"]


def test_the_hash_must_fit_too(store: Store, new_id: NewId) -> None:
    game = new_id()
    store.append(append_after(store, game, "one"))
    forged = replace(append_after(store, game, "two"), expected_hash=bytes(31) + b"\1")
    assert store.append(forged) == Conflict(1)
    ahead = Append(game, 2, forged.expected_hash, entries(GENESIS_HASH, "gap"))
    assert store.append(ahead) == Conflict(1)


def test_an_append_is_judged_by_about_the_stores_time(store: Store, new_id: NewId) -> None:
    """The time that is known without asking is the store's, or a little less."""
    game = new_id()
    store.read(game)
    about = store.estimate_now(game)
    assert about is not None
    assert 0 <= store.now() - about < 2_000
    for wrong in (about + MAX_AHEAD_MS + 2_000, about - MAX_BEHIND_MS - 1):
        append = replace(append_after(store, game, "one"), decided_at=wrong)
        assert store.append(append) == Conflict(0)
    late = replace(append_after(store, game, "one"), decided_at=about - MAX_BEHIND_MS // 2)
    assert store.append(late) == Appended(1)
    about = store.estimate_now(game)
    assert about is not None
    assert store.append(replace(append_after(store, game, "two"), decided_at=about)) == Appended(2)
    assert words(store, game) == ["one", "two"]


def test_bounds_of_an_append(store: Store, new_id: NewId) -> None:
    game = new_id()
    for made in (
        (),
        entries(GENESIS_HASH, *["many"] * (MAX_ENTRIES + 1)),
        (chain_entry(GENESIS_HASH, "big", 1, bytes(MAX_BYTES + 1), b""),),
    ):
        with pytest.raises(ValueError, match="an append has"):
            store.append(Append(game, 0, GENESIS_HASH, made))
    assert store.append(append_after(store, game, *["many"] * MAX_ENTRIES)) == Appended(MAX_ENTRIES)


@pytest.mark.parametrize("rounds", [5, pytest.param(50, marks=pytest.mark.long)])
def test_two_writers_of_one_version(store: Store, new_id: NewId, rounds: int) -> None:
    for _ in range(rounds):
        game = new_id()
        appends = [append_after(store, game, word) for word in ("left", "right")]
        results = _at_once([lambda append=append: store.append(append) for append in appends])
        assert sorted(map(type, results), key=str) == [Appended, Conflict]


@pytest.mark.parametrize(
    ("writers", "each"), [(4, 10), pytest.param(16, 200, marks=pytest.mark.long)]
)
def test_many_writers_leave_no_gap(store: Store, new_id: NewId, writers: int, each: int) -> None:
    game = new_id()

    def write(name: str) -> None:
        version, head = 0, GENESIS_HASH
        for number in range(each):
            while True:
                made = entries(head, f"{name}-{number}")
                if isinstance(
                    append_and_resolve(store, Append(game, version, head, made)), Appended
                ):
                    version, head = version + 1, made[-1].hash
                    break
                tail = store.read(game, version + 1).entries
                version, head = version + len(tail), tail[-1].hash

    _at_once([lambda name=f"w{writer}": write(name) for writer in range(writers)])
    found = words(store, game)
    assert len(found) == writers * each
    assert len(set(found)) == len(found)
    for writer in range(writers):
        own = [word for word in found if word.startswith(f"w{writer}-")]
        assert own == [f"w{writer}-{number}" for number in range(each)]
    _check_chain(store, game)


def _check_chain(store: Store, game: str) -> None:
    previous = GENESIS_HASH
    for entry in store.read(game).entries:
        assert chain_entry(previous, entry.type, entry.schema, entry.data, entry.meta) == entry
        previous = entry.hash


def _at_once(works: list[Callable[[], object]]) -> list[object]:
    results: list[object] = []
    gate = threading.Barrier(len(works))

    def begin(work: Callable[[], object]) -> None:
        gate.wait()
        results.append(work())

    threads = [threading.Thread(target=begin, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == len(works)
    return results


class TestKeys:
    """A key stands for one append for as long as its game."""

    def test_a_key_is_remembered(self, store: Store, new_id: NewId) -> None:
        game, key = new_id(), IdempotencyKey("k1", "body")
        store.append(append_after(store, game, "zero"))
        store.append(append_after(store, game, "one", "two", key=key))
        assert store.read(game, 3, "k1").key_use == KeyUse("body", 2, 3)
        assert store.read(game, 1, "k2").key_use is None
        assert store.read(new_id(), 1, "k1").key_use is None

    def test_a_taken_key_writes_nothing(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one", key=IdempotencyKey("k", "a|b")))
        again = append_after(store, game, "two", key=IdempotencyKey("k", "other"), due={"bot": 1})
        assert store.append(again) == KeyTaken(KeyUse("a|b", 1, 1))
        assert words(store, game) == ["one"]
        assert store.get_due(game, ["bot"]) == {}

    def test_two_at_once_have_one_effect(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        appends = [
            append_after(store, game, "once", key=IdempotencyKey("k", "body")) for _ in range(2)
        ]
        results = _at_once([lambda append=append: store.append(append) for append in appends])
        assert Appended(1) in results
        assert KeyTaken(KeyUse("body", 1, 1)) in results
        assert words(store, game) == ["once"]


SEQUENCES = {
    "0em1_1e0_2e1_0em1_idempotent": ([("a", 0), ("b", 1), ("c", 2), ("a", 0)], "abc"),
    "0em1_1e0_2e1_1e0_idempotent": ([("a", 0), ("b", 1), ("c", 2), ("b", 1)], "abc"),
    "0em1_1e0_2e1_2e1_idempotent": ([("a", 0), ("b", 1), ("c", 2), ("c", 2)], "abc"),
    "0em1_0em1_idempotent": ([("a", 0), ("a", 0)], "a"),
    "ab0_ab0_idempotent": ([("ab", 0), ("ab", 0)], "ab"),
    "ab0_c2_ab0_idempotent": ([("ab", 0), ("c", 2), ("ab", 0)], "abc"),
    "a0_bcd1_bcd1_idempotent": ([("a", 0), ("bcd", 1), ("bcd", 1)], "abcd"),
    "0em1_x0_non_idempotent": ([("a", 0), ("x", 0, "lost")], "a"),
    "0em1_1e0_x0_non_idempotent": ([("a", 0), ("b", 1), ("x", 0, "lost")], "ab"),
    "0em1_1e0_x1_non_idempotent": ([("a", 0), ("b", 1), ("x", 1, "lost")], "ab"),
    "0em1_x5_wrong_version": ([("a", 0), ("x", 5, "lost")], "a"),
    "x3_on_nothing_wrong_version": ([("x", 3, "lost")], ""),
    "ab0_a0_part_of_another": ([("ab", 0), ("a", 0, "lost")], "ab"),
    "a0_ab0_more_than_it_was": ([("a", 0), ("ab", 0, "lost")], "a"),
    "ab0_b1_part_of_another": ([("ab", 0), ("b", 1, "lost")], "ab"),
    "ab0_bc1_overlap": ([("ab", 0), ("bc", 1, "lost")], "ab"),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_repeated_appends(store: Store, new_id: NewId, name: str) -> None:
    """The same append at its old version succeeds again; any other at an old version does not."""
    steps, stream = SEQUENCES[name]
    game, heads, made = new_id(), {0: GENESIS_HASH}, {}
    for step in steps:
        letters, version = step[0], step[1]
        if (letters, version) not in made:
            head = heads.get(version, bytes(31) + b"\2")
            made[letters, version] = Append(game, version, head, entries(head, *letters))
        append = made[letters, version]
        lost = len(step) == 3
        before = words(store, game)
        assert isinstance(append_and_resolve(store, append), Conflict if lost else Appended)
        if lost:
            assert words(store, game) == before
            continue
        for number, entry in enumerate(append.entries, start=version + 1):
            heads[number] = entry.hash
    assert "".join(words(store, game)) == stream


class TestDue:
    """What games owe is leased, pushed on, counted and cleared."""

    def test_a_lease_pushes_on_and_counts(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one", due={"bot": 5, "idle": None}))
        (lease,) = store.lease_due(game[0], {"bot": 60_000}).work
        assert (lease.game, lease.kind, lease.due_at, lease.attempts) == (game, "bot", 5, 1)
        assert store.lease_due(game[0], {"bot": 60_000}).work == ()
        pushed = store.get_due(game, ["bot"])["bot"]
        assert 50_000 < pushed - store.now() <= 60_000
        store.set_due(game, "bot", 7, only_if=pushed + 1)
        assert store.get_due(game, ["bot", "idle"]) == {"bot": pushed}
        store.extend_lease(game, "bot", 9)
        (lease,) = store.lease_due(game[0], {}).work
        assert (lease.due_at, lease.attempts) == (9, 2)

    def test_only_what_is_due_and_oldest_first(self, store: Store, new_id: NewId) -> None:
        one = new_id()
        two = one[0] + new_id()[1:]
        later = store.now() + 100_000
        store.append(append_after(store, one, "x", due={"bot": 20, "score": later}))
        store.append(append_after(store, two, "x", due={"bot": 10}))
        assert [(lease.game, lease.due_at) for lease in store.lease_due(one[0], {}, 1).work] == [
            (two, 10)
        ]
        assert [(lease.game, lease.due_at) for lease in store.lease_due(one[0], {}).work] == [
            (one, 20)
        ]
        assert store.lease_due("a" if one[0] != "a" else "b", {}).work == ()

    def test_when_something_is_due_next(self, store: Store, new_id: NewId) -> None:
        one = new_id()
        two = one[0] + new_id()[1:]
        other = "a" if one[0] != "a" else "b"
        assert store.lease_due(one[0], {}) == LeasedWork((), None)
        later = store.now() + 100_000
        store.append(append_after(store, one, "x", due={"bot": later, "score": later + 7}))
        store.append(append_after(store, two, "x", due={"bot": later + 3}))
        assert store.lease_due(other, {}) == LeasedWork((), None)
        first, second = (
            store.lease_due(one[0], {}).next_due_in,
            store.lease_due(one[0], {}).next_due_in,
        )
        assert first is not None
        assert second is not None
        assert 90_000 < second <= first <= 100_000
        store.set_due(two, "bot", 20)
        store.set_due(one, "score", 10)
        assert store.lease_due(one[0], {}, 1).next_due_in == 0
        leased = store.lease_due(one[0], {"bot": 200_000})
        assert [lease.game for lease in leased.work] == [two]
        assert leased.next_due_in is not None
        assert leased.next_due_in <= 5_000, "what was taken before is owed again"

    def test_what_is_owed_can_be_looked_at_without_taking_it(
        self, store: Store, new_id: NewId
    ) -> None:
        one = new_id()
        two = one[0] + new_id()[1:]
        other = "a" if one[0] != "a" else "b"
        assert store.list_due(one[0], store.now()) == []
        later = store.now() + 100_000
        store.append(append_after(store, one, "x", due={"bot": 20, "score": later}))
        store.append(append_after(store, two, "x", due={"hook-abc": 10}))
        early = [DueWork(two, "hook-abc", 10, 0), DueWork(one, "bot", 20, 0)]
        assert store.list_due(one[0], store.now()) == early
        assert store.list_due(one[0], store.now(), 1) == early[:1]
        assert store.list_due(one[0], 19) == early[:1]
        assert store.list_due(one[0], later) == [*early, DueWork(one, "score", later, 0)]
        assert store.list_due(other, later) == []
        store.lease_due(one[0], {"bot": 200_000, "hook": 200_000})
        counts = [(lease.kind, lease.attempts) for lease in store.list_due(one[0], later + 200_000)]
        assert sorted(counts) == [("bot", 1), ("hook-abc", 1), ("score", 0)]

    def test_an_append_clears_and_starts_anew(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one", due={"bot": 5}))
        store.lease_due(game[0], {})
        store.append(append_after(store, game, "two", due={"bot": 6}))
        assert [lease.attempts for lease in store.lease_due(game[0], {}).work] == [1]
        store.append(append_after(store, game, "three", due={"bot": None}))
        assert store.get_due(game, ["bot"]) == {}
        assert store.get_due(game, []) == {}

    def test_set_and_extend(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.extend_lease(game, "hook", 5)
        store.set_due(game, "hook", None)
        assert store.get_due(game, ["hook"]) == {}
        store.set_due(game, "hook", 5)
        store.set_due(game, "hook", 6, only_if=5)
        assert store.get_due(game, ["hook"]) == {"hook": 6}
        store.set_due(game, "hook", None)
        assert store.get_due(game, ["hook"]) == {}


class TestLists:
    """Games by status and by client, newest first, merged over all partitions."""

    def test_pages_follow_one_another(self, store: Store, new_id: NewId) -> None:
        games = [(new_id(), 10 + number // 3) for number in range(20)]
        for game, since in games:
            change = IndexChange(since, None, "open", ("c1",))
            store.append(append_after(store, game, "one", index=change))
        right = [ListedGame(*one) for one in sorted(games, key=lambda one: one[::-1], reverse=True)]
        for listing in (
            lambda most, before=None: store.list_by_status("open", most, before),
            lambda most, before=None: store.list_by_client("c1", most, before),
        ):
            assert listing(100) == right
            found: list[ListedGame] = []
            while page := listing(3, found[-1] if found else None):
                assert len(page) <= 3
                found += page
            assert found == right
        assert store.list_by_status("playing", 5) == []
        assert store.list_by_client("c2", 5) == []

    def test_a_game_moves_between_lists(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        change = IndexChange(5, None, "open", ("c1", "c2"))
        store.append(append_after(store, game, "one", index=change))
        change = IndexChange(5, "open", "playing", ("c3",), ("c1",))
        store.append(append_after(store, game, "two", index=change))
        here = [ListedGame(game, 5)]
        assert store.list_by_status("open", 5) == store.list_by_client("c1", 5) == []
        assert store.list_by_status("playing", 5) == here
        assert store.list_by_client("c2", 5) == store.list_by_client("c3", 5) == here


class TestHooks:
    """Webhooks stand beside a game; each is owed while the stream goes beyond its cursor."""

    @staticmethod
    def owed(store: Store, game: str, own: str = "h1") -> int | None:
        return store.get_due(game, [webhook_work_kind(own)]).get(webhook_work_kind(own))

    def test_they_come_back_as_they_were(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        second, first = StoredWebhook("h2", 1, b"a|b\x00\xff"), StoredWebhook("h1", None, b"")
        assert store.list_webhooks(game) == ()
        assert store.change_webhook(WebhookChange(game, "h2", None, second)) is False
        store.append(append_after(store, game, "one"))
        for hook in (second, first):
            assert store.change_webhook(WebhookChange(game, hook.id, None, hook)) is True
        assert store.list_webhooks(game) == (first, second)
        assert b"\xff" not in repr(second).encode()
        assert store.change_webhook(WebhookChange(game, "h2", second, None)) is True
        assert store.list_webhooks(game) == (first,)

    def test_only_what_is_as_expected_changes(self, store: Store, new_id: NewId) -> None:
        game, old, new = new_id(), StoredWebhook("h1", 1, b"old"), StoredWebhook("h1", 1, b"new")
        store.append(append_after(store, game, "one"))
        for refused in (
            WebhookChange(game, "h1", old, new),
            WebhookChange(game, "h1", None, new, expected_count=1),
        ):
            assert store.change_webhook(refused) is False
        assert store.change_webhook(WebhookChange(game, "h1", None, old, expected_count=0)) is True
        assert store.change_webhook(WebhookChange(game, "h1", None, new)) is False
        assert store.change_webhook(WebhookChange(game, "h1", old, new)) is True
        assert store.change_webhook(WebhookChange(game, "h1", old, new)) is False
        assert store.list_webhooks(game) == (new,)

    def test_an_append_makes_them_due(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one"))
        awake, asleep = StoredWebhook("h1", 1, b""), StoredWebhook("h2", None, b"")
        for hook in (awake, asleep):
            store.change_webhook(WebhookChange(game, hook.id, None, hook))
        assert store.lease_due(game[0], {}).work == ()
        store.append(append_after(store, game, "two"))
        assert abs((self.owed(store, game) or 0) - store.now()) < 5_000
        assert self.owed(store, game, "h2") is None
        (lease,) = store.lease_due(game[0], {"hook": 60_000}).work
        assert (lease.kind, lease.attempts) == (webhook_work_kind("h1"), 1)
        pushed = self.owed(store, game) or 0
        assert 50_000 < pushed - store.now() <= 60_000
        store.append(append_after(store, game, "three"))
        assert self.owed(store, game) == pushed, "at work, or to be tried later: left as it is"

    def test_the_cursor_says_what_is_owed(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one", "two"))
        present = None
        for cursor, due, keep, owed in (
            (1, None, False, True),
            (2, None, False, False),
            (2, 7, False, 7),
            (1, None, True, 7),
            (None, 9, False, False),
            (1, None, True, False),
            (1, 9, False, 9),
            (None, None, True, False),
        ):
            after = StoredWebhook("h1", cursor, b"")
            change = WebhookChange(game, "h1", present, after, due, keep)
            assert store.change_webhook(change) is True
            found = self.owed(store, game)
            assert found == owed if owed not in (True, False) else (found is not None) == owed
            present = after
        awake = StoredWebhook("h1", 1, b"")
        store.change_webhook(WebhookChange(game, "h1", present, awake))
        store.change_webhook(WebhookChange(game, "h1", awake, None))
        assert self.owed(store, game) is None

    def test_a_key_is_used_up(self, store: Store, new_id: NewId) -> None:
        game, hook = new_id(), StoredWebhook("h1", 1, b"")
        store.append(append_after(store, game, "one"))
        made = WebhookChange(game, "h1", None, hook, key=IdempotencyKey("k", "b"))
        assert store.change_webhook(made) is True
        taken = KeyTaken(KeyUse("b", 0, 0))
        assert store.change_webhook(made) == taken
        assert store.append(append_after(store, game, "two", key=IdempotencyKey("k", "c"))) == taken
        assert store.read(game, 1, "k").key_use == taken.use

    def test_deliveries_are_kept_for_a_while(self, store: Store, new_id: NewId) -> None:
        game, hook = new_id(), StoredWebhook("h1", 1, b"")
        store.append(append_after(store, game, "one"))
        store.change_webhook(
            WebhookChange(game, "h2", None, replace(hook, id="h2"), delivery=(1, b"x"))
        )
        before = None
        for number in range(1, MAX_DELIVERIES + 3):
            sent = (number, b"%d" % number)
            store.change_webhook(WebhookChange(game, "h1", before, hook, delivery=sent))
            before = hook
        found = store.get_deliveries(game, "h1", 1, 1_000)
        assert found == {n: b"%d" % n for n in range(3, MAX_DELIVERIES + 3)}
        assert store.get_deliveries(game, "h1", 5, 6) == {5: b"5", 6: b"6"}
        assert store.get_deliveries(game, "h1", 6, 5) == {}
        store.change_webhook(WebhookChange(game, "h1", hook, None))
        assert store.get_deliveries(game, "h1", 1, 1_000) == {}
        assert store.get_deliveries(game, "h2", 1, 1) == {1: b"x"}

    def test_they_go_with_their_game(self, store: Store, new_id: NewId) -> None:
        game, hook = new_id(), StoredWebhook("h1", 0, b"")
        append = append_after(store, game, "one")
        store.append(append)
        store.change_webhook(WebhookChange(game, "h1", None, hook, delivery=(1, b"x")))
        assert self.owed(store, game) is not None
        assert store.remove_stream(game, 1, "archived", b"", IndexChange(0))
        assert (store.list_webhooks(game), self.owed(store, game)) == ((), None)
        assert store.get_deliveries(game, "h1", 1, 1) == {}
        with pytest.raises(Gone):
            store.change_webhook(WebhookChange(game, "h1", None, hook))
        store.restore_stream(game, append.entries, IndexChange(0))
        assert store.list_webhooks(game) == ()

    def test_shared_counters(self, store: Store) -> None:
        store.add_counts({})
        assert store.get_counts() == {}
        store.add_counts({"a": 1, "b": 20})
        store.add_counts({"a": 2})
        assert store.get_counts() == {"a": 3, "b": 20}


class TestGone:
    """A removed game leaves a tombstone; an archived one comes back byte-equal."""

    def test_deleting(self, store: Store, new_id: NewId) -> None:
        game, index = new_id(), IndexChange(5, "open", None, (), ("c1",))
        change = IndexChange(5, None, "open", ("c1",))
        append = append_after(
            store, game, "one", due={"bot": 5}, index=change, key=IdempotencyKey("k", "b")
        )
        store.append(append)
        assert not store.remove_stream(game, 2, "deleted", b"", index)
        assert store.remove_stream(game, 1, "deleted", b"fact", index, ["bot"])
        assert store.get_due(game, ["bot"]) == {}
        assert store.list_by_status("open", 5) == store.list_by_client("c1", 5) == []
        for attempt in (
            lambda: store.read(game),
            lambda: store.append(append),
            lambda: store.remove_stream(game, 1, "deleted", b"", index),
        ):
            with pytest.raises(Gone) as caught:
                attempt()
            assert (caught.value.reason, caught.value.tombstone) == ("deleted", b"fact")
        with pytest.raises(ValueError, match="not archived"):
            store.restore_stream(game, append.entries, index)

    def test_archiving(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        append = append_after(store, game, "one", "two")
        store.append(append)
        assert not store.remove_stream(new_id(), 1, "archived", b"", IndexChange(0))
        assert store.remove_stream(game, 2, "archived", b"file", IndexChange(0))
        store.restore_stream(game, append.entries, IndexChange(5, None, "finished", ("c1",)))
        assert store.read(game).entries == append.entries
        assert (
            store.list_by_status("finished", 5)
            == store.list_by_client("c1", 5)
            == [ListedGame(game, 5)]
        )
        assert store.append(append_after(store, game, "three")) == Appended(3)
        with pytest.raises(ValueError, match="not archived"):
            store.restore_stream(new_id(), append.entries, IndexChange(0))


class TestPlaced:
    """A whole stream may be written where none is."""

    def test_a_stream_of_any_length_is_placed_once(self, store: Store, new_id: NewId) -> None:
        game, change = new_id(), IndexChange(5, None, "finished", ("c1",))
        made = entries(GENESIS_HASH, *["many"] * (MAX_ENTRIES + 1))
        assert store.import_stream(game, made, change)
        assert store.read(game).entries == made
        assert (
            store.list_by_status("finished", 5)
            == store.list_by_client("c1", 5)
            == [ListedGame(game, 5)]
        )
        assert not store.import_stream(
            game, entries(GENESIS_HASH, "other"), IndexChange(6, None, "open")
        )
        assert store.read(game).entries == made
        assert store.list_by_status("open", 5) == []

    def test_not_over_a_stream_that_is_or_was(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.append(append_after(store, game, "one"))
        assert not store.import_stream(game, entries(GENESIS_HASH, "two"), IndexChange(5))
        store.remove_stream(game, 1, "deleted", b"", IndexChange(5))
        with pytest.raises(Gone):
            store.import_stream(game, entries(GENESIS_HASH, "two"), IndexChange(5))


class TestHeld:
    """Bytes are kept under an id for a while, with a piece of work that they are for."""

    def test_bytes_are_kept_and_replaced(self, store: Store, new_id: NewId) -> None:
        game, data = new_id(), bytes(range(256)) * 4000
        assert store.get_temporary(game) is None
        assert store.put_temporary(game, data, 60_000)
        assert store.get_temporary(game) == data
        assert not store.put_temporary(
            game, b"other", 60_000, only_if_absent=True, kind="import", due_at=5
        )
        assert store.get_due(game, ["import"]) == {}
        assert store.put_temporary(game, b"", 60_000)
        assert store.get_temporary(game) == b""
        assert store.get_temporary(new_id()) is None
        assert store.read(game).entries == ()

    def test_work_is_owed_with_them(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        assert store.put_temporary(
            game, b"body", 60_000, only_if_absent=True, kind="import", due_at=5
        )
        (lease,) = store.lease_due(game[0], {"import": 60_000}).work
        assert (lease.game, lease.kind, lease.due_at, lease.attempts) == (game, "import", 5, 1)
        assert store.put_temporary(game, b"again", 60_000, kind="import", due_at=7)
        assert store.get_due(game, ["import"]) == {"import": 7}
        assert store.put_temporary(game, b"done", 60_000, kind="import")
        assert store.get_due(game, ["import"]) == {}

    def test_their_time_ends(self, store: Store, new_id: NewId) -> None:
        game = new_id()
        store.put_temporary(game, b"body", 1)
        time.sleep(0.05)
        assert store.get_temporary(game) is None
        assert store.put_temporary(game, b"fresh", 60_000, only_if_absent=True)


def test_watching(store: Store, new_id: NewId) -> None:
    game, told = new_id(), []
    listening = threading.Event()

    def listen() -> None:
        for message in store.listen():
            listening.set()
            if message not in (None, LISTENING):
                told.append(message)
                return

    thread = threading.Thread(target=listen)
    thread.start()
    listening.wait(5)
    store.append(append_after(store, game, "one", "two"))
    thread.join(5)
    assert told == [(game, 2)]


def test_what_happens_between_two_looks_is_heard(store: Store, new_id: NewId) -> None:
    game, watching = new_id(), store.listen()
    assert next(watching) == LISTENING
    for number in range(1, 4):
        assert store.append(append_after(store, game, "one")) == Appended(number)
    heard = [next(watching) for _ in range(3)]
    assert heard == [(game, 1), (game, 2), (game, 3)]
    assert next(watching) is None
    watching.close()  # type: ignore[attr-defined]
