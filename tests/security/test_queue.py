"""The queue server holds nothing that could be run: names of jobs and plain JSON."""

from __future__ import annotations

import base64
import contextlib
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from service.config import Settings
from service.rules.ruleset import rulesets
from service.store.redis_store import open_store
from tests.workers.server import queues
from tests.workers.tables import lay, newest
from workers import context
from workers import worker as workers
from workers.queues import FAST, SLOW, WORK, QueueDoorbell
from workers.relay import Relay

__all__ = ["queues"]

PICKLE = b"\x80"
"""What every pickle since protocol 2 begins with."""


def values(server: Redis) -> list[bytes]:
    """Everything that the server holds, keys and all."""
    found: list[Any] = []
    for key in server.scan_iter("*"):
        kind = server.type(key)
        found.append(key)
        if kind == b"hash":
            found += [each for pair in server.hgetall(key).items() for each in pair]
        elif kind == b"list":
            found += server.lrange(key, 0, -1)
        elif kind == b"set":
            found += server.smembers(key)
        elif kind == b"zset":
            found += server.zrange(key, 0, -1)
        elif kind == b"stream":
            found += [each for _, fields in server.xrange(key) for each in fields.values()]
        else:
            found.append(server.get(key))
    return found


def forms(value: bytes) -> list[bytes]:
    """A value as it is, and unpacked as often as it is packed."""
    found = [value]
    if value:
        with contextlib.suppress(zlib.error):
            found += forms(zlib.decompress(value))
        with contextlib.suppress(ValueError):
            found += forms(base64.b64decode(value, validate=True))
    return found


def pickled(value: bytes) -> bool:
    return any(form.startswith(PICKLE) for form in forms(value))


def test_nothing_is_pickled(redis_url: str, queues: Redis) -> None:
    """While jobs wait, when they are done, and when they failed."""
    here = context.build_context(open_store(redis_url), Settings())
    law = next(iter(rulesets().values()))
    game = lay(here, *["easy", "random"][: min(law.seats)], ruleset=law)
    lay(here, *["hard"] * min(law.seats), ruleset=law)
    bells = QueueDoorbell(queues)
    relay = Relay(here, bells)
    assert relay.poll() > 0
    Queue(FAST, connection=queues, serializer=JSONSerializer).enqueue_call(WORK, args=("bot",))
    waiting = values(queues)
    workers.run(FAST, here, queues, burst=True)
    done = values(queues)
    assert newest(here, game).version > 1
    assert any(b"Traceback" in form for value in done for form in forms(value)), "one has failed"
    assert len(waiting) > 10
    assert not [value for value in (*waiting, *done) if pickled(value)]
    assert pickled(zlib.compress(pickle.dumps(1)))
    assert pickled(base64.b64encode(zlib.compress(pickle.dumps(1))))


class Mine:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.mkdir, (self.path,)


@pytest.mark.parametrize("name", [FAST, SLOW])
def test_what_somebody_else_put_there_is_not_unpacked(
    redis_url: str, queues: Redis, tmp_path: Path, name: str
) -> None:
    """Whoever could write to the queue server could not run code in the workers that way."""
    here = context.build_context(open_store(redis_url), Settings())
    sprung = tmp_path / "sprung"
    queue = Queue(name, connection=queues, serializer=JSONSerializer)
    job = queue.enqueue_call(WORK, args=("bot", "g" * 26))
    mine = pickle.dumps((WORK, None, (Mine(sprung),), {}))
    for field, data in (("data", zlib.compress(mine)), ("meta", mine), ("exc_info", mine)):
        queues.hset(Job.key_for(job.id), field, data)
    with contextlib.suppress(Exception):
        workers.run(name, here, queues, burst=True)
    assert not sprung.exists()
    pickle.loads(mine)  # noqa: S301 - it would have been noticed
    assert sprung.exists()
