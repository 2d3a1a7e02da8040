"""Calls to Redis: each is sent once, and its errors become the store's errors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import redis
from redis import exceptions

from .values import Corrupt, StoreError, Unavailable

REFUSALS = (
    exceptions.ResponseError,
    exceptions.AuthenticationError,
    exceptions.AuthorizationError,
    exceptions.BusyLoadingError,
)
"""A server's refusals. The client derives some of them from ConnectionError."""

_FOLDER: Final = Path(__file__).parent


class Script:
    """A Lua script of this folder, with the functions that all share, and the digest it is called

    by.
    """

    def __init__(self, name: str) -> None:
        flags, own = (_FOLDER / f"{name}.lua").read_bytes().split(b"\n", 1)
        self.text = b"\n".join((flags, (_FOLDER / "shared.lua").read_bytes(), own))
        self.digest = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()


Call = Callable[[Any, bool], Any]
"""Sends something on a connection and returns the response.

Where the second argument is true, the server is only about to receive the keys: they are migrating
to it, and it serves only what follows the command ASKING.
"""


def execute_call(
    pool: redis.ConnectionPool,
    call: Call,
    broken: type[StoreError] = Unavailable,
    *,
    asking: bool = False,
) -> Any:
    """Executes a call, once. Raises `broken` where the connection breaks after it was made."""
    with translating_errors():
        connection: Any = pool.get_connection()
    try:
        return call(connection, asking)
    except REFUSALS as fault:
        raise refusal_error(fault) from fault
    except exceptions.DataError:
        raise  # a value that cannot be sent: nothing was
    except (exceptions.RedisError, OSError) as fault:
        connection.disconnect()
        raise broken(f"the connection broke: {fault}") from fault
    except BaseException:  # the caller no longer waits: the response would stay in the connection
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def script_call(script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Call:
    """Returns the call that runs a script once; its text is sent only where the server does not

    know it.
    """
    rest = (len(keys), *keys, *arguments)

    def call(connection: Any, asking: bool) -> Any:
        try:
            _send_asking(connection, asking)
            connection.send_command("EVALSHA", script.digest, *rest)
            return connection.read_response()
        except exceptions.NoScriptError:
            _send_asking(connection, asking)
            connection.send_command("EVAL", script.text, *rest)
            return connection.read_response()

    return call


def transaction_call(*commands: tuple[str, ...]) -> Call:
    """Returns the call that runs commands at one moment, in one round trip.

    To read a stream it takes a quarter of the server's time that a script does, which has to
    convert every field to a Lua value and back.
    """

    def call(connection: Any, asking: bool) -> list[Any]:
        _send_asking(connection, asking)
        connection.send_packed_command(connection.pack_commands([("MULTI",), *commands, ("EXEC",)]))
        responses: Any = []
        faults: list[exceptions.RedisError] = []
        for _ in range(len(commands) + 2):  # all responses, so that none is left for the next call
            try:
                responses = connection.read_response()
            except exceptions.ResponseError as fault:
                faults.append(fault)
        faults += [one for one in responses if isinstance(one, exceptions.RedisError)]
        if faults:
            raise faults[0]
        return list(responses)

    return call


def _send_asking(connection: Any, asking: bool) -> None:
    if asking:
        connection.send_command("ASKING")
        connection.read_response()


@contextmanager
def translating_errors() -> Iterator[None]:
    """Turns the Redis client's errors into the store's, where nothing is written."""
    try:
        yield
    except REFUSALS as fault:
        raise refusal_error(fault) from fault
    except (exceptions.RedisError, exceptions.RedisClusterException, OSError) as fault:
        raise Unavailable(str(fault)) from fault


def refusal_error(fault: exceptions.RedisError) -> StoreError:
    """Returns the store's error for a server's refusal."""
    text = str(fault)
    if "CORRUPT" in text or "WRONGTYPE" in text:
        return Corrupt(text)
    return Unavailable(text)
