"""Couriers wait for receivers in threads, so many at once, and one for each webhook."""

from __future__ import annotations

import threading

import pytest

from service.store import MemoryStore, Unavailable, webhook_work_kind
from tests.workers.tables import START, Clock
from workers.webhooks.delivery_pool import RETRY_DELAY, DeliveryPool

GAME = "a" * 26


def test_one_thread_for_each_webhook(clock: Clock) -> None:
    store, delivery_pool, go = MemoryStore(clock), DeliveryPool(2), threading.Event()
    done: list[int] = []

    def carry() -> None:
        go.wait(10)
        done.append(1)

    for own in ("h1", "h2", "h3"):
        store.set_due(GAME, webhook_work_kind(own), START)
    assert delivery_pool.start(GAME, "h1", store, carry)
    assert not delivery_pool.start(GAME, "h1", store, carry), "it is under way"
    assert delivery_pool.start(GAME, "h2", store, carry)
    assert not delivery_pool.start(GAME, "h3", store, carry), "all are busy"
    kinds = [webhook_work_kind(own) for own in ("h1", "h2", "h3")]
    assert store.get_due(GAME, kinds) == dict(
        zip(kinds, (START, START, START + RETRY_DELAY), strict=True)
    )
    assert not delivery_pool.wait(0.01)
    go.set()
    assert delivery_pool.wait(10)
    assert done == [1, 1]
    assert delivery_pool.start(GAME, "h3", store, carry)
    assert delivery_pool.wait(10)


@pytest.mark.parametrize(
    ("fault", "said"), [(Unavailable("gone"), "waits: gone"), (ZeroDivisionError(), "failed")]
)
def test_one_that_fails_makes_room(
    clock: Clock, fault: Exception, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    delivery_pool = DeliveryPool(1)

    def carry() -> None:
        raise fault

    for _ in range(2):
        assert delivery_pool.start(GAME, "h1", MemoryStore(clock), carry)
        assert delivery_pool.wait(10)
    assert said in caplog.text
