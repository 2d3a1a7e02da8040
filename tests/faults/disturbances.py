"""What may become of a Redis server, brought about from another connection and ended again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from redis import Redis, RedisError

from service.store.embedded import free_port

PAUSE = 12
"""Seconds: longer than an answer is waited for, and than the look that follows."""

ServerTrouble = Callable[[Redis], AbstractContextManager[None]]


@contextmanager
def full(admin: Redis) -> Iterator[None]:
    """No memory is left."""
    admin.config_set("maxmemory", 1)
    try:
        yield
    finally:
        admin.config_set("maxmemory", 0)


@contextmanager
def replica(admin: Redis) -> Iterator[None]:
    """It has become a replica, which only reads."""
    admin.replicaof("127.0.0.1", str(free_port()))
    try:
        yield
    finally:
        admin.replicaof("NO", "ONE")


@contextmanager
def cut_off_replica(admin: Redis) -> Iterator[None]:
    """It has become a replica that has lost its master, and reads nothing either."""
    admin.config_set("replica-serve-stale-data", "no")
    try:
        with replica(admin):
            yield
    finally:
        admin.config_set("replica-serve-stale-data", "yes")


@contextmanager
def lonely(admin: Redis) -> Iterator[None]:
    """It shall only write where a replica is, and there is none."""
    admin.config_set("min-replicas-to-write", 1)
    try:
        yield
    finally:
        admin.config_set("min-replicas-to-write", 0)


@contextmanager
def locked(admin: Redis) -> Iterator[None]:
    """All are cut off, and asked for a password that nobody told them."""
    admin.config_set("requirepass", "secret")
    admin.client_kill_filter(_type="normal", skipme=True)
    try:
        yield
    finally:
        admin.config_set("requirepass", "")


@contextmanager
def crowded(admin: Redis) -> Iterator[None]:
    """All are cut off, and it takes no more connections."""
    admin.config_set("maxclients", 1)
    admin.client_kill_filter(_type="normal", skipme=True)
    try:
        yield
    finally:
        admin.config_set("maxclients", 10_000)


@contextmanager
def busy(admin: Redis) -> Iterator[None]:
    """Somebody's script does not end."""
    admin.config_set("busy-reply-threshold", 10)

    def spin() -> None:
        with suppress(RedisError):
            admin.eval("while true do end", 0)

    thread = threading.Thread(target=spin)
    thread.start()
    time.sleep(0.1)
    try:
        yield
    finally:
        admin.script_kill()
        thread.join()


@contextmanager
def paused(admin: Redis) -> Iterator[None]:
    """It lets everybody wait, whoever would end that included, for longer than they do."""
    admin.client_pause(PAUSE * 1000)
    ends = time.monotonic() + PAUSE
    try:
        yield
    finally:
        time.sleep(max(0.0, ends - time.monotonic()))


REFUSING: dict[str, ServerTrouble] = {
    "full": full,
    "replica": replica,
    "replica that lost its master": cut_off_replica,
    "too few replicas": lonely,
    "password": locked,
    "too many clients": crowded,
    "busy": busy,
}
"""Troubles in which the server says no to whoever would write."""
