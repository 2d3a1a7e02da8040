"""The HTTP client of webhooks: one POST to a client's URL, guarded against SSRF and time-limited.

The name is resolved here, each of its addresses is checked, and the connection goes to a checked
address itself, so that a name which resolves differently in between changes nothing. TLS
certificates are checked against the name. No redirects are followed and no proxy is used.
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

TIMEOUT: Final = 15.0
"""Seconds from the connection to the response's head."""

BODY_SECONDS: Final = 1.0
BODY_BYTES: Final = 4_096
"""For how long (s), and how much, is read of a response's body, which is not used."""

MAX_BYTES: Final = 65_536
"""How much of a response is read at all."""

DAY: Final = 86_400

Address = tuple[socket.AddressFamily, Any]
Resolve = Callable[[str, int], list[Address]]


@dataclass(frozen=True, slots=True)
class Response:
    """A receiver's response: a status, or what went wrong instead (`fault`): "unresolved",

    "refused_address", "no_connection", "tls", "timeout", "closed", "malformed". `retry_after` is in
    seconds, at most a day; `ms` is how long it took.
    """

    status: int | None
    fault: str | None
    retry_after: int | None
    ms: int


class _RequestFailed(Exception):
    """No request can be sent; the text is one of a response's faults."""


def post(
    target: Target,
    headers: Mapping[str, str],
    body: bytes,
    *,
    local: bool = False,
    seconds: float = TIMEOUT,
    resolve: Resolve | None = None,
    context: ssl.SSLContext | None = None,
) -> Response:
    """Posts once and returns the response. Never raises for anything that the other side does.

    `local` allows loopback and private networks; `seconds` limits the whole request. `resolve`
    returns a name's addresses (by default the system's), `context` says which certificates are
    trusted.
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
    except _RequestFailed as refusal:
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
    return Response(status, fault, retry_after, round((time.monotonic() - began) * 1000))


@functools.cache
def _default_context() -> ssl.SSLContext:
    """Returns a context that trusts the system's certificates; slow to make, so made once."""
    return ssl.create_default_context()


def resolve_addresses(host: str, port: int) -> list[Address]:
    """Returns a name's addresses as the system knows them, in its order of preference."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [(family, address) for family, _, _, _, address in found]


def allowed_addresses(addresses: list[Address], local: bool) -> list[Address]:
    """Returns the addresses if all of them may be called, else raises `_RequestFailed`.

    A name that also resolves to a forbidden address is not trusted at all.
    """
    if not addresses:
        raise _RequestFailed("unresolved")
    if not all(is_allowed_address(str(address[0]), local) for _, address in addresses):
        raise _RequestFailed("refused_address")
    return addresses


def _time_left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(addresses: list[Address], end: float) -> socket.socket:
    """Returns a connection to the first address that accepts one."""
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
    raise _RequestFailed("no_connection")


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
    """What http.client needs of a socket, with one deadline for everything read and written."""

    def __init__(self, connection: socket.socket, end: float) -> None:
        self.connection = connection
        self.end = end

    def sendall(self, data: bytes) -> None:
        self.connection.settimeout(_time_left(self.end))
        self.connection.sendall(data)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self))

    def close(self) -> None:
        """Does nothing: who opened the connection closes it."""


class _Incoming(io.RawIOBase):
    """The bytes received, at most `MAX_BYTES` of them."""

    def __init__(self, wire: _Wire) -> None:
        super().__init__()
        self._wire = wire
        self._received = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._received >= MAX_BYTES:
            raise http.client.HTTPException("the response is too long")
        self._wire.connection.settimeout(_time_left(self._wire.end))
        received = self._wire.connection.recv_into(buffer)
        self._received += received
        return received


def _exchange(
    wire: _Wire, target: Target, headers: Mapping[str, str], body: bytes
) -> tuple[int, int | None]:
    """Sends the request and reads the response's head. Returns the status and Retry-After (s)."""
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
            response.read(BODY_BYTES)  # lets the receiver finish sending; only the status counts
    return status, None if wait is None else parse_retry_after(wait)


def parse_retry_after(text: str, now: Callable[[], float] = time.time) -> int | None:
    """Returns the seconds that Retry-After asks for, at most a day; None where it is malformed."""
    if re.fullmatch("[0-9]{1,9}", text):
        return min(int(text), DAY)
    try:
        until = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0, min(round(until - now()), DAY))
