"""A webhook reaches nothing inside, however its address is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from service.app import install_services
from service.config import Settings
from service.store import MemoryStore
from tests.api.http_client import SEATS, Person, anybody, code
from tests.workers.receiver import Receiver, receiving, status
from workers.context import WorkerContext, build_context
from workers.webhooks import delivery as webhook_delivery

LOOPBACK = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1",
    "017700000001", "0177.0x0.0.1", "0", "0.0.0.0", "127.8.8.8", "localhost", "LOCALHOST",  # noqa: S104
    "localhost.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
]  # fmt: skip
METADATA = [
    "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "0xa9.254.0xa9.0376",
    "169.254.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]",
    "[64:ff9b::a9fe:a9fe]", "100.100.100.200", "192.0.0.192", "168.63.129.16",
]  # fmt: skip
MISSHAPEN = [
    "http://127.0.0.1@a.example/", "http://a.example#@127.0.0.1/", "http://a.example\\@127.0.0.1/",
    "http://[::1%25lo]/", "http://[fe80::1%25eth0]/", "http:///127.0.0.1/", "http:127.0.0.1/",
    "//127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:6379/_FLUSHALL", "http://127。0。0。1/",
    "http://①②⑦.0.0.1/", "http://a.example:6379:80/", "http://a.example:22/", "http://a.example:0/",
    "http://a.example/\r\nX-A: b", "http://a.example/%zz\x00", "http://%31%32%37.0.0.1/",
]  # fmt: skip


class Scene:
    """A game in play, whose host adds webhooks."""

    def __init__(self, app: Flask, store: MemoryStore, *, local: bool = False) -> None:
        self.ana = anybody(app)
        made = self.ana.create(start="host")
        for seat in range(SEATS):
            self.ana.claim(made, seat)
        self.game = str(made["game"]["id"])
        self.context: WorkerContext = build_context(store, Settings(hooks_local=local))

    def add(self, url: str) -> Any:
        return self.ana.post(f"/v1/games/{self.game}/webhooks", {"url": url})

    def last_fault(self, url: str) -> str | None:
        """Lets something happen, tells a webhook of it; returns what kept the call from going."""
        own = (self.add(url).json or {})["webhook"]["id"]
        self.ana.send(self.game, {"type": "start"})
        webhook_delivery.deliver(self.context, self.game, own)
        where = f"/v1/games/{self.game}/webhooks/{own}/deliveries"
        (delivery,) = (self.ana.get(where).json or {})["deliveries"]
        assert delivery["status"] is None
        return str(delivery["fault"])


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.mark.parametrize("host", [*LOOPBACK, *METADATA])
def test_no_way_to_write_an_address_leads_inside(
    app: Flask, store: MemoryStore, receiver: Receiver, host: str
) -> None:
    """It is refused at once, or when the name has been resolved: nothing is ever called."""
    scene = Scene(app, store)
    url = f"http://{host}:{receiver.port}/"
    added = scene.add(url)
    if added.status_code == 422:
        assert (added.json or {})["errors"][0]["pointer"] == "/url"
    else:
        scene = Scene(app, store)
        assert scene.last_fault(url) in ("refused_address", "unresolved")
    assert receiver.got == []


@pytest.mark.parametrize("host", METADATA)
def test_metadata_is_called_by_no_service(app: Flask, store: MemoryStore, host: str) -> None:
    """Not even by one that may call its own networks."""
    scene = Scene(app, store, local=True)
    if scene.add(f"http://{host}/").status_code != 422:
        scene = Scene(app, store, local=True)
        assert scene.last_fault(f"http://{host}/") in ("refused_address", "unresolved")


@pytest.mark.parametrize("url", MISSHAPEN)
def test_what_others_might_read_otherwise_is_refused(ana: Person, game: str, url: str) -> None:
    answer = ana.post(f"/v1/games/{game}/webhooks", {"url": url})
    assert (answer.status_code, code(answer)) == (422, "misshapen")


def test_a_redirect_leads_nowhere(app: Flask, store: MemoryStore, receiver: Receiver) -> None:
    with receiving() as inside:
        receiver.usual = status(307, Location=inside.url)
        scene = Scene(app, store, local=True)
        install_services(app, Settings(hooks_local=True), store)
        own = (scene.add(receiver.url).json or {})["webhook"]["id"]
        scene.ana.send(scene.game, {"type": "start"})
        webhook_delivery.deliver(scene.context, scene.game, own)
        assert len(receiver.got) == 1
        assert inside.got == []
