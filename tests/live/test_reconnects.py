"""Clients that lose their connection all the time miss nothing, see nothing twice, and in order."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.api_server import Client, Listener, Served, path_of

LISTENERS = 4
MOVES = 60
"""So many that no game is over by itself."""


class Restless:
    """Follows a game over many connections; reads little on each and hangs up."""

    def __init__(self, port: int, path: str, seed: int) -> None:
        self._port = port
        self._path = f"{path}/events"
        self._generator = random.Random(seed)
        self.versions: list[int] = []
        self.connections = 0

    def follow(self) -> None:
        """Follows to the end: until it is told, or there is nothing more."""
        while True:
            with self._connected() as stream:
                if stream.status == 204:
                    return
                assert stream.status == 200
                for _ in range(self._generator.randint(0, 2)):
                    message = stream.next()
                    assert message is not None
                    if message.event == "end":
                        return
                    assert message.data["version"] == int(message.id)
                    self.versions.append(int(message.id))

    def _connected(self) -> Listener:
        self.connections += 1
        last = self.versions[-1] if self.versions else 0
        if self._generator.random() < 0.5:
            return Listener(self._port, self._path, last=last)
        return Listener(self._port, f"{self._path}?after={last}")


def play(client: Client, path: str) -> None:
    """Posts moves, then ends the game."""
    for _ in range(MOVES):
        client.move(path)
    client.send(path, {"type": "abandon"})


def reconnect(api: Served, wanted: int) -> None:
    """Lets clients reconnect so often, game after game."""
    made = 0
    while made < wanted:
        ana = Client(api.port)
        path = path_of(ana.play())
        restless = [Restless(api.port, path, made + number) for number in range(LISTENERS)]
        with ThreadPoolExecutor(LISTENERS + 1) as pool:
            working = [pool.submit(each.follow) for each in restless]
            working.append(pool.submit(play, ana, path))
            for future in working:
                future.result(60)
        last = ana.get(path)["version"]
        for each in restless:
            assert each.versions == list(range(1, last + 1))
            made += each.connections


@pytest.mark.parametrize("times", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_nothing_is_missed_doubled_or_out_of_order(api: Served, times: int) -> None:
    reconnect(api, times)
