"""A process that ends under gunicorn: it says so, lets its streams go, and ends in time."""

from __future__ import annotations

import http.client
import json
import time
from contextlib import closing
from pathlib import Path

from service.store.embedded import EmbeddedServer
from tests.live.api_server import Client, Listener, Served, path_of, served


def test_an_api_that_ends_is_not_ready_and_its_streams_go_on_elsewhere(
    api: Served, api_server: EmbeddedServer, tmp_path: Path
) -> None:
    """Both APIs share a store, as pods behind one address do."""
    with served(api_server.url, tmp_path, BAILLI_WEB_WORKERS="1") as old:
        ana = Client(old.port)
        path = path_of(ana.play())
        streams = [Listener(old.port, f"{path}/events?after=99") for _ in range(20)]
        for stream in streams:
            stream.opened()
        kept = http.client.HTTPConnection("127.0.0.1", old.port, timeout=10)
        with closing(kept):
            assert _ready(kept) == (200, None)
            old.leave()
            began = time.monotonic()
            while (told := _ready(kept))[0] == 200:
                assert time.monotonic() - began < 5
                time.sleep(0.01)
            assert told == (503, "unavailable")
        assert [stream.next() for stream in streams] == [None] * 20, "none is cut in a message"
        assert old.process.wait(30) == 0
        elsewhere = Client(api.port, ana.token)
        resumed = [Listener(api.port, f"{path}/events", last=stream.id) for stream in streams]
        elsewhere.move(path)
        for before, after in zip(streams, resumed, strict=True):
            message = after.next()
            assert message is not None
            assert int(message.id) == int(before.id) + 1
            before.close()
            after.close()


def _ready(connection: http.client.HTTPConnection) -> tuple[int, str | None]:
    """Whether the API calls itself ready, on a connection that it keeps open."""
    connection.request("GET", "/readyz")
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read()).get("code")
