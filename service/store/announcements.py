"""Listening for the announcements of appends that Redis publishes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .keys import CHANNEL, parse_announcement
from .servers import Servers
from .values import Unavailable

CHECK_SECONDS: Final = 5.0
"""Seconds between two checks that the server listened to still hears of every append."""


def listen_once(servers: Servers, timeout: float) -> Iterator[tuple[str, int] | None]:
    """Yields what `Store.listen` does, until the connection is lost or the server is cut off.

    `timeout` (seconds) bounds connecting. Raises redis-py's errors or `Unavailable`.
    """
    # A client of its own: on one with a timeout a quiet second would be an error.
    with (
        redis.Redis.from_url(
            servers.listening_url(),
            socket_timeout=None,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 0),
        ) as client,
        client.pubsub() as listener,
    ):
        listener.subscribe(CHANNEL)
        checked = time.monotonic()
        while True:
            message = listener.get_message(timeout=1.0)
            yield None if message is None else parse_announcement(message)
            if time.monotonic() - checked > CHECK_SECONDS:
                if not servers.hears_appends(client):
                    raise Unavailable("the server listened to is cut off from the others")
                checked = time.monotonic()
