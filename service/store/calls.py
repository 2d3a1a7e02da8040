"""Questions to Redis: each is put once, and what goes wrong is said in the store's words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import redis
from redis import exceptions

from .protocol import Corrupt, StoreError, Unavailable

REFUSALS = (
    exceptions.ResponseError,
    exceptions.AuthenticationError,
    exceptions.AuthorizationError,
    exceptions.BusyLoadingError,
)
"""A server's answers that say no. The client derives some of them from ConnectionError."""

_FOLDER: Final = Path(__file__).parent


class Script:
    """A script beside this module, with what all share, and the digest that names it there."""

    def __init__(self, name: str) -> None:
        flags, own = (_FOLDER / f"{name}.lua").read_bytes().split(b"\n", 1)
        self.text = b"\n".join((flags, (_FOLDER / "shared.lua").read_bytes(), own))
        self.digest = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()


Call = Callable[[Any, bool], Any]
"""Sends something on a connection and returns what was answered.

Where the second argument is true, the server does not keep the keys yet: they are on their way to
it, and it answers only to what follows ASKING.
"""


def execute(
    pool: redis.ConnectionPool,
    question: Call,
    broken: type[StoreError] = Unavailable,
    *,
    asking: bool = False,
) -> Any:
    """Puts a question, once. Raises `broken` where the connection breaks after it was made."""
    with translating_errors():
        connection: Any = pool.get_connection()
    try:
        return question(connection, asking)
    except REFUSALS as fault:
        raise refusal_error(fault) from fault
    except exceptions.DataError:
        raise  # a value that cannot be sent: nothing was
    except (exceptions.RedisError, OSError) as fault:
        connection.disconnect()
        raise broken(f"the connection broke: {fault}") from fault
    except BaseException:  # whoever asks waits no longer: the rest of the answer would stay in it
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def script_call(script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Call:
    """Returns the question that runs a script once; it is sent along only where the server does

    not know it.
    """
    rest = (len(keys), *keys, *arguments)

    def question(connection: Any, asking: bool) -> Any:
        try:
            _send_asking(connection, asking)
            connection.send_command("EVALSHA", script.digest, *rest)
            return connection.read_response()
        except exceptions.NoScriptError:
            _send_asking(connection, asking)
            connection.send_command("EVAL", script.text, *rest)
            return connection.read_response()

    return question


def transaction_call(*commands: tuple[str, ...]) -> Call:
    """Returns the question that runs commands at one moment, in one round trip.

    For reading a stream it takes a quarter of the server's time that a script does, which has to
    turn every field into a value of its own and back.
    """

    def question(connection: Any, asking: bool) -> list[Any]:
        _send_asking(connection, asking)
        connection.send_packed_command(connection.pack_commands([("MULTI",), *commands, ("EXEC",)]))
        answers: Any = []
        faults: list[exceptions.RedisError] = []
        for _ in range(len(commands) + 2):  # all answers, that none is left for the next question
            try:
                answers = connection.read_response()
            except exceptions.ResponseError as fault:
                faults.append(fault)
        faults += [answer for answer in answers if isinstance(answer, exceptions.RedisError)]
        if faults:
            raise faults[0]
        return list(answers)

    return question


def _send_asking(connection: Any, asking: bool) -> None:
    if asking:
        connection.send_command("ASKING")
        connection.read_response()


@contextmanager
def translating_errors() -> Iterator[None]:
    """Turns a client's errors where nothing is written into the store's."""
    try:
        yield
    except REFUSALS as fault:
        raise refusal_error(fault) from fault
    except (exceptions.RedisError, exceptions.RedisClusterException, OSError) as fault:
        raise Unavailable(str(fault)) from fault


def refusal_error(fault: exceptions.RedisError) -> StoreError:
    """Returns what a server's no means."""
    text = str(fault)
    if "CORRUPT" in text or "WRONGTYPE" in text:
        return Corrupt(text)
    return Unavailable(text)
