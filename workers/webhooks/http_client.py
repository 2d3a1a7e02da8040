"""One POST to an address that somebody else named: guarded, bounded, never followed further.

The name is resolved here, each of its addresses is judged, and the connection goes to a judged
address itself, so that a name which changes its mind in between changes nothing. TLS certificates
are checked against the name. No redirects are followed and no proxy is asked.
"""

from __future__ import annotations

import contextlib
import email.utils
import functools
import http.client
import io
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.games.webhooks.addresses import Target, is_allowed_address

SECONDS: Final = 15.0
"""How long all of it may take, from the connection to the answer's head."""

BODY_SECONDS: Final = 1.0
BODY_BYTES: Final = 4_096
"""How long, and how much, is read of an answer's body. Nothing is made of it."""

MAX_BYTES: Final = 65_536
"""How much of an answer is read at all."""

DAY: Final = 86_400

Address = tuple[socket.AddressFamily, Any]
Resolve = Callable[[str, int], list[Address]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a status; or what went wrong instead: "unresolved", "refused_address",

    "no_connection", "tls", "timeout", "closed", "malformed". `retry_after` in seconds, at most a
    day; `ms` is how long it took.
    """

    status: int | None
    fault: str | None
    retry_after: int | None
    ms: int


class _Fault(Exception):
    """Nothing can be asked; the text is one of an answer's faults."""


def post(
    target: Target,
    headers: Mapping[str, str],
    body: bytes,
    *,
    local: bool = False,
    seconds: float = SECONDS,
    resolve: Resolve | None = None,
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Posts, once. Never raises for anything that the other side does.

    `local` lets loopback and private networks be called. `resolve` returns a name's addresses (by
    default the system's answer), `context` says which certificates are trusted.
    """
    began = time.monotonic()
    status, retry_after, fault = None, None, None
    try:
        addresses = allowed_addresses(
            (resolve or resolve_addresses)(target.host, target.port), local
        )
        end = began + seconds
        with _connect(addresses, end) as connection:
            if target.scheme == "https":
                with _wrap_tls(
                    connection, context or _default_context(), target.host, end
                ) as secured:
                    status, retry_after = _exchange(_Wire(secured, end), target, headers, body)
            else:
                status, retry_after = _exchange(_Wire(connection, end), target, headers, body)
    except _Fault as refusal:
        fault = str(refusal)
    except TimeoutError:
        fault = "timeout"
    except ssl.SSLError:
        fault = "tls"
    except ConnectionError:  # before HTTPException: a connection that closes early is both
        fault = "closed"
    except (http.client.HTTPException, ValueError):
        fault = "malformed"
    except OSError:
        fault = "no_connection"
    return Answer(status, fault, retry_after, round((time.monotonic() - began) * 1000))


@functools.cache
def _default_context() -> ssl.SSLContext:
    """Returns what trusts the system's certificates; it takes a while to make."""
    return ssl.create_default_context()


def resolve_addresses(host: str, port: int) -> list[Address]:
    """Returns a name's addresses as the system knows them, in its order of preference."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [(family, address) for family, _, _, _, address in found]


def allowed_addresses(addresses: list[Address], local: bool) -> list[Address]:
    """Returns the addresses, if all of them may be called: a name that also leads to a forbidden

    one is not trusted at all. Raises `_Fault`.
    """
    if not addresses:
        raise _Fault("unresolved")
    if not all(is_allowed_address(str(address[0]), local) for _, address in addresses):
        raise _Fault("refused_address")
    return addresses


def _time_left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(addresses: list[Address], end: float) -> socket.socket:
    """Returns a connection to the first address that takes one."""
    for family, address in addresses:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(_time_left(end))
            connection.connect(address)
        except TimeoutError:
            connection.close()
            raise
        except OSError:
            connection.close()
        else:
            return connection
    raise _Fault("no_connection")


def _wrap_tls(
    connection: socket.socket, context: ssl.SSLContext, host: str, end: float
) -> ssl.SSLSocket:
    secured = context.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False)
    try:
        secured.settimeout(_time_left(end))
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return secured


class _Wire:
    """What http.client needs of a socket, with one end of time for all that is read and written."""

    def __init__(self, connection: socket.socket, end: float) -> None:
        self.connection = connection
        self.end = end

    def sendall(self, data: bytes) -> None:
        self.connection.settimeout(_time_left(self.end))
        self.connection.sendall(data)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self))

    def close(self) -> None:
        """Leaves the connection to whoever opened it."""


class _Incoming(io.RawIOBase):
    """What comes in, at most `MAX_BYTES` of it."""

    def __init__(self, wire: _Wire) -> None:
        super().__init__()
        self._wire = wire
        self._taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._taken >= MAX_BYTES:
            raise http.client.HTTPException("the answer is too long")
        self._wire.connection.settimeout(_time_left(self._wire.end))
        taken = self._wire.connection.recv_into(buffer)
        self._taken += taken
        return taken


def _exchange(
    wire: _Wire, target: Target, headers: Mapping[str, str], body: bytes
) -> tuple[int, int | None]:
    """Sends the request, reads the answer's head and a little more; returns status and wait (s)."""
    client = http.client.HTTPConnection(target.host, target.port)
    client.sock = wire
    client.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
    for name, value in (("Host", target.authority), *headers.items()):
        client.putheader(name, value)
    client.putheader("Content-Length", str(len(body)))
    client.putheader("Connection", "close")
    client.endheaders(body)
    with client.getresponse() as response:
        status, wait = response.status, response.headers.get("Retry-After")
        wire.end = min(wire.end, time.monotonic() + BODY_SECONDS)
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            response.read(BODY_BYTES)  # so that it can be sent; the status is all that counts
    return status, None if wait is None else parse_retry_after(wait)


def parse_retry_after(text: str, now: Callable[[], float] = time.time) -> int | None:
    """Returns what Retry-After asks for (seconds, at most a day); None for what can't be read."""
    if re.fullmatch("[0-9]{1,9}", text):
        return min(int(text), DAY)
    try:
        until = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0, min(round(until - now()), DAY))
