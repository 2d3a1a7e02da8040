"""Whatever is done in whatever order, memory and Redis say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from redis import Redis

from service.store import (
    GENESIS_HASH,
    Append,
    Appended,
    Gone,
    IdempotencyKey,
    IndexChange,
    ListedGame,
    MemoryStore,
    Store,
    StoredWebhook,
    WebhookChange,
    chain_entry,
    webhook_work_kind,
)
from service.store.redis_store import RedisStore

from .streams import entries

GAMES = [letter + tail * 25 for letter, tail in ("ab", "ac", "ad", "ba", "27")]
KINDS = ("bot", "score", "idle")
STATUSES = ("open", "playing")
CLIENTS = ("c1", "c2")
HOOKS = ("h1", "h2")
FAR = 10**13

games = st.sampled_from(GAMES)
kinds = st.sampled_from(KINDS)
statuses = st.sampled_from((None, *STATUSES))
clients = st.lists(st.sampled_from(CLIENTS), unique=True).map(tuple)
times = st.integers(1, 4) | st.just(FAR)
words = st.lists(st.sampled_from("xyz"), min_size=1, max_size=3)
dues = st.dictionaries(kinds, st.none() | times)
keys = st.none() | st.builds(
    IdempotencyKey, st.sampled_from(("k1", "k2")), st.sampled_from(("a", "b|1|2"))
)
cursors = st.none() | st.integers(0, 4)
changes = st.builds(IndexChange, st.integers(1, 3), statuses, statuses, clients, clients)


class Twins(RuleBasedStateMachine):
    """Does the same to both, and compares every answer."""

    redis: RedisStore

    def __init__(self) -> None:
        super().__init__()
        with Redis.from_url(self.redis.url) as client:
            client.flushall()
        self.memory = MemoryStore()
        self.sent: list[Append] = []
        self.archived: dict[str, Any] = {}

    def both(self, method: str, *arguments: Any) -> Any:
        answers = []
        for store in (self.memory, self.redis):
            try:
                answers.append(getattr(store, method)(*arguments))
            except (Gone, ValueError) as fault:
                answers.append((type(fault), str(fault), getattr(fault, "tombstone", None)))
        assert answers[0] == answers[1]
        return answers[0]

    def head(self, game: str) -> tuple[int, bytes]:
        try:
            stream = self.memory.read(game).entries
        except Gone:
            return 0, GENESIS_HASH
        return len(stream), stream[-1].hash if stream else GENESIS_HASH

    @rule(game=games, words=words, key=keys, due=dues, index=st.none() | changes)
    def append(self, game: str, words: list[str], key: Any, due: Any, index: Any) -> None:
        version, head = self.head(game)
        append = Append(game, version, head, entries(head, *words), key, due, index)
        self.sent.append(append)
        if isinstance(self.both("append", append), Appended):
            self.settle(game)

    @rule(data=st.data())
    def append_again(self, data: st.DataObject) -> None:
        if self.sent:
            append = data.draw(st.sampled_from(self.sent))
            if isinstance(self.both("append", append), Appended):
                self.settle(append.game)

    @rule(game=games, by=st.integers(-1, 1), forged=st.booleans(), due=dues)
    def append_astray(self, game: str, by: int, forged: bool, due: Any) -> None:
        version, head = self.head(game)
        head = b"f" * 32 if forged else head
        astray = Append(game, max(0, version + by), head, entries(head, "a"), None, due)
        if isinstance(self.both("append", astray), Appended):
            self.settle(game)

    @rule(game=games, meta=st.binary(max_size=8), data=st.binary(max_size=40))
    def append_bytes(self, game: str, meta: bytes, data: bytes) -> None:
        version, head = self.head(game)
        entry = chain_entry(head, "bytes", 2, data, meta)
        if isinstance(self.both("append", Append(game, version, head, (entry,))), Appended):
            self.settle(game)

    @rule(game=games, off=st.sampled_from((0, 0, 1)), why=st.sampled_from(("deleted", "archived")),
          index=changes, gone=st.lists(kinds, unique=True))  # fmt: skip
    def remove(self, game: str, off: int, why: str, index: IndexChange, gone: list[str]) -> None:
        version, _ = self.head(game)
        stream = self.memory.read(game).entries if version else ()
        if self.both("remove_stream", game, version + off, why, b"f", index, gone) is True:
            self.archived[game] = stream

    @rule(game=games, index=changes)
    def restore(self, game: str, index: IndexChange) -> None:
        self.both("restore_stream", game, self.archived.get(game, ()), index)

    @rule(game=games, words=words, index=changes)
    def place(self, game: str, words: list[str], index: IndexChange) -> None:
        self.both("import_stream", game, entries(GENESIS_HASH, *words), index)

    @rule(game=games, data=st.binary(max_size=9), fresh=st.booleans(), kind=kinds | st.just(""),
          due=st.none() | times)  # fmt: skip
    def hold(self, game: str, data: bytes, fresh: bool, kind: str, due: int | None) -> None:
        answers = [
            store.put_temporary(game, data, FAR, only_if_absent=fresh, kind=kind, due_at=due)
            for store in (self.memory, self.redis)
        ]
        assert answers[0] == answers[1]
        self.both("get_temporary", game)

    @rule(game=games, kind=kinds, due=st.none() | times, only_if=st.none() | times)
    def set_due(self, game: str, kind: str, due: int | None, only_if: int | None) -> None:
        self.both("set_due", game, kind, due, only_if)

    @rule(game=games, kind=kinds, until=times)
    def extend(self, game: str, kind: str, until: int) -> None:
        self.both("extend_lease", game, kind, until)

    @rule(
        game=games,
        own=st.sampled_from(HOOKS),
        off=st.sampled_from((False, False, True)),
        after=st.none() | st.tuples(cursors, st.sampled_from((b"a", b"b|"))),
        due=st.none() | times,
        keep=st.booleans(),
        count=st.none() | st.integers(0, 2),
        key=keys,
        delivery=st.none() | st.tuples(st.sampled_from((1, 2, 101)), st.just(b"sent")),
    )
    def change_webhook(
        self, game: str, own: str, off: bool, after: Any, due: Any, keep: bool, count: Any,
        key: Any, delivery: Any,
    ) -> None:  # fmt: skip
        before = next((hook for hook in self.memory.list_webhooks(game) if hook.id == own), None)
        before = StoredWebhook(own, 9, b"other") if off else before
        hook = None if after is None else StoredWebhook(own, *after)
        change = WebhookChange(game, own, before, hook, due, keep, count, key, delivery)
        if self.both("change_webhook", change) is True and due is None and not keep:
            self.settle(game)

    def settle(self, game: str) -> None:
        """Their clocks differ a little: what is owed from now on is put at one time."""
        for own in HOOKS:
            kind = (webhook_work_kind(own),)
            here, there = self.memory.get_due(game, kind), self.redis.get_due(game, kind)
            assert set(here) == set(there)
            if here:
                self.both("extend_lease", game, webhook_work_kind(own), 3)

    @rule(one=st.sampled_from("ab2z"), most=st.integers(1, 5), again=times)
    def lease(self, one: str, most: int, again: int) -> None:
        here, there = (
            kept.lease_due(one, {"bot": 60_000}, most) for kept in (self.memory, self.redis)
        )
        assert here.work == there.work
        # Their clocks differ a little.
        assert (here.next_due_in is None) == (there.next_due_in is None)
        assert abs((here.next_due_in or 0) - (there.next_due_in or 0)) < 10_000
        for lease in here.work:
            self.both("extend_lease", lease.game, lease.kind, again)

    @rule(most=st.integers(1, 3), status=st.sampled_from(STATUSES))
    def page(self, most: int, status: str) -> None:
        whole: list[ListedGame] = self.both("list_by_status", status, 100)
        found: list[ListedGame] = []
        while page := self.both("list_by_status", status, most, found[-1] if found else None):
            found += page
        assert found == whole

    @rule(
        game=games,
        first=st.integers(1, 4),
        key=st.sampled_from((None, "k1", "k2")),
        last=st.sampled_from((None, 0, 1, 3)),
    )
    def read(self, game: str, first: int, key: str | None, last: int | None = None) -> None:
        seen = []
        for store in (self.memory, self.redis):
            seen.append(_seen(store, game, first, key, last))
        assert seen[0] == seen[1]

    @invariant()
    def the_same_lists_and_dues(self) -> None:
        for status in STATUSES:
            self.both("list_by_status", status, 100)
        for client in CLIENTS:
            self.both("list_by_client", client, 100)
        for game in GAMES:
            self.both("get_due", game, [*KINDS, *map(webhook_work_kind, HOOKS)])
            self.both("list_webhooks", game)
            for own in HOOKS:
                self.both("get_deliveries", game, own, 1, 101)
            self.read(game, 1, "k1")


def _seen(store: Store, game: str, first: int, key: str | None, last: int | None) -> Any:
    try:
        tail = store.read(game, first, key, last)
    except Gone as gone:
        return gone.reason, gone.tombstone
    return tail.first, tail.entries, tail.key_use


@pytest.mark.broad
@pytest.mark.parametrize("examples", [12, pytest.param(300, marks=pytest.mark.long)])
def test_memory_and_redis_are_twins(direct: RedisStore, examples: int) -> None:
    machine = type("OnThisServer", (Twins,), {"redis": direct})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_twins_meet_a_win(direct: RedisStore) -> None:
    """What they compare is not two refusals for ever."""
    append = Append(GAMES[0], 0, GENESIS_HASH, entries(GENESIS_HASH, "x"))
    assert MemoryStore().append(append) == direct.append(append) == Appended(1)
