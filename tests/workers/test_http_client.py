"""One POST to a stranger's address: what the stranger may do wrong, and where it never goes."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.games.webhooks.addresses import Target, parse_target
from tests.workers.receiver import Receiver, raw, receiving, status
from workers.webhooks import http_client
from workers.webhooks.http_client import (
    Address,
    Response,
    allowed_addresses,
    parse_retry_after,
    post,
    resolve_addresses,
)

pytestmark = pytest.mark.integration

BODY = b'{"a": 1}'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def told(receiver: Receiver, seconds: float = 5.0, **options: Any) -> Response:
    return post(parse_target(receiver.url, True), {"X-A": "b"}, BODY, local=True, seconds=seconds)


def test_it_arrives_as_it_was_sent(receiver: Receiver) -> None:
    answer = told(receiver)
    assert (answer.status, answer.fault, answer.retry_after) == (204, None, None)
    (got,) = receiver.got
    assert (got.path, got.body, got.headers["x-a"]) == ("/hook", BODY, "b")
    assert got.headers["host"] == f"127.0.0.1:{receiver.port}"


@pytest.mark.parametrize("code", [200, 201, 299, 300, 404, 410, 500])
def test_the_status_is_told(receiver: Receiver, code: int) -> None:
    receiver.usual = status(code, b"x" * 100_000)
    assert told(receiver).status == code


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(receiver: Receiver, code: int) -> None:
    receiver.usual = status(code, Location=receiver.url + "/other")
    assert told(receiver).status == code
    assert [got.path for got in receiver.got] == ["/hook"]


def test_a_proxy_is_not_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert told(receiver).status == 204


def test_a_receiver_that_hangs(receiver: Receiver) -> None:
    receiver.usual = receiver.hang
    answer = told(receiver, 0.2)
    assert (answer.status, answer.fault) == (None, "timeout")
    assert 190 <= answer.ms < 5_000


def test_an_answer_that_drips(receiver: Receiver) -> None:
    """Each byte comes soon after the one before: only all of it together takes too long."""
    receiver.usual = raw(*[b"H"] * 500, pause=0.02, stop=receiver.stop)
    answer = told(receiver, 0.3)
    assert (answer.status, answer.fault) == (None, "timeout")
    assert answer.ms < 5_000


def test_a_body_that_drips_changes_nothing(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "BODY_SECONDS", 0.1)
    head = b"HTTP/1.0 200 OK\r\nContent-Length: 4000\r\n\r\n"
    receiver.usual = raw(head, *[b"x"] * 500, pause=0.02, stop=receiver.stop)
    answer = told(receiver)
    assert answer.status == 200
    assert answer.ms < 4_000


def test_a_huge_body_is_not_read(receiver: Receiver) -> None:
    sent: list[int] = []

    def endless(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        for part in range(10_000):
            handler.wfile.write(b"x" * 65_536)
            sent.append(part)

    receiver.usual = endless
    assert told(receiver).status == 200
    assert len(sent) < 1_000


def test_a_huge_head_is_refused(receiver: Receiver) -> None:
    receiver.usual = raw(b"HTTP/1.0 200 OK\r\n", *[b"A: " + b"x" * 30_000 + b"\r\n"] * 20)
    assert told(receiver).fault == "malformed"


def test_early_hints_are_not_an_answer_that_counts(receiver: Receiver) -> None:
    receiver.usual = raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
    assert told(receiver).status == 200


@pytest.mark.parametrize(
    ("answered", "fault"),
    [
        (b"", "closed"),
        (b"220 mail.example ESMTP\r\n", "malformed"),
        (b"HTTP/1.0 two hundred\r\n\r\n", "malformed"),
        (b"\x00\xff" * 100 + b"\r\n", "malformed"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", None),
    ],
)
def test_what_is_no_answer(receiver: Receiver, answered: bytes, fault: str | None) -> None:
    receiver.usual = raw(answered)
    answer = told(receiver)
    assert (answer.fault, answer.status) == (fault, None if fault else 200)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    answer = post(Target("http", "127.0.0.1", port, "/"), {}, BODY, local=True)
    assert answer.fault == "no_connection"


def test_a_network_that_fails_on_the_way(receiver: Receiver) -> None:
    def failing(handler: Any) -> None:
        raise AssertionError("nothing arrives")

    class Broken(ssl.SSLContext):
        def wrap_socket(self, *_: Any, **__: Any) -> Any:
            raise OSError(113, "No route to host")

    receiver.usual = failing
    context = Broken(ssl.PROTOCOL_TLS_CLIENT)
    where = Target("https", "127.0.0.1", receiver.port, "/")
    assert post(where, {}, BODY, local=True, context=context).fault == "no_connection"


def test_time_may_be_up_before_it_begins(receiver: Receiver) -> None:
    assert told(receiver, 0).fault == "timeout"
    assert receiver.got == []


class TestAddresses:
    """A call goes to an address that was judged, whatever the name leads to later."""

    def test_local_ones_are_refused(self, receiver: Receiver) -> None:
        for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "0", "::1"):
            answer = post(Target("http", host, receiver.port, "/"), {}, BODY)
            assert answer.fault in ("refused_address", "unresolved"), host
        assert receiver.got == []

    def test_metadata_is_refused_even_among_ones_own(self) -> None:
        answer = post(Target("http", "169.254.169.254", 80, "/"), {}, BODY, local=True, seconds=1)
        assert answer.fault == "refused_address"

    def test_a_name_is_asked_once_and_the_call_is_pinned(self, receiver: Receiver) -> None:
        """A name that leads elsewhere when it is asked again (rebinding) gains nothing."""
        asked = []

        def rebinding(host: str, port: int) -> list[Address]:
            asked.append(host)
            place = "127.0.0.1" if len(asked) == 1 else "127.0.0.2"
            return [(socket.AF_INET, (place, port))]

        where = Target("http", "rebind.invalid", receiver.port, "/x?y")
        assert post(where, {}, BODY, local=True, resolve=rebinding).status == 204
        assert asked == ["rebind.invalid"]
        assert receiver.got[0].headers["host"] == f"rebind.invalid:{receiver.port}"
        assert receiver.got[0].path == "/x?y"

    def test_a_name_that_turned_local_is_refused(self, receiver: Receiver) -> None:
        """What was fine when the webhook was made is judged anew for each call."""
        where = Target("http", "rebind.invalid", receiver.port, "/")

        def turned(host: str, port: int) -> list[Address]:
            return [(socket.AF_INET, ("127.0.0.1", port))]

        assert post(where, {}, BODY, resolve=turned).fault == "refused_address"
        assert receiver.got == []

    def test_one_bad_address_is_enough(self) -> None:
        good, bad = (socket.AF_INET, ("93.184.216.34", 80)), (socket.AF_INET6, ("::1", 80, 0, 0))
        assert allowed_addresses([good], False) == [good]
        for mixed in ([good, bad], [bad, good]):
            with pytest.raises(Exception, match="refused_address"):
                allowed_addresses(mixed, False)

    def test_the_next_address_is_tried(self, receiver: Receiver) -> None:
        def two(host: str, port: int) -> list[Address]:
            return [(socket.AF_INET, ("127.0.0.99", 1)), (socket.AF_INET, ("127.0.0.1", port))]

        where = Target("http", "two.invalid", receiver.port, "/")
        assert post(where, {}, BODY, local=True, resolve=two).status == 204

    @pytest.mark.parametrize("host", ["no.such.name.invalid", "a" * 64 + ".invalid", "a..b"])
    def test_names_that_lead_nowhere(self, host: str) -> None:
        assert resolve_addresses(host, 80) == []
        assert post(Target("http", host, 80, "/"), {}, BODY).fault == "unresolved"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=receiver.invalid", "-addext",
         "subjectAltName=DNS:receiver.invalid", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on the PATH")
class TestTls:
    """Certificates are checked against the name, not the address."""

    @pytest.mark.parametrize(
        ("host", "trusted", "wanted"),
        [
            ("receiver.invalid", True, 204),
            ("other.invalid", True, "tls"),
            ("receiver.invalid", False, "tls"),
        ],
    )
    def test_names(
        self, files: tuple[Path, Path], host: str, trusted: bool, wanted: int | str
    ) -> None:
        serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serving.load_cert_chain(*files)
        context = ssl.create_default_context(cafile=files[0]) if trusted else None

        def here(_: str, port: int) -> list[Address]:
            return [(socket.AF_INET, ("127.0.0.1", port))]

        with receiving(serving) as receiver:
            where = Target("https", host, receiver.port, "/")
            answer = post(where, {}, BODY, local=True, resolve=here, context=context)
        assert (answer.status or answer.fault) == wanted
        assert len(receiver.got) == (wanted == 204)

    def test_no_tls_there(self) -> None:
        with receiving() as receiver:
            where = Target("https", "127.0.0.1", receiver.port, "/")
            assert post(where, {}, BODY, local=True).fault in ("tls", "closed")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        ("999999999", 86_400),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60),
        ("Wed, 21 Oct 2015 07:00:00 GMT", 0),
        ("Wed, 21 Oct 2045 07:00:00 GMT", 86_400),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
    ],
)
def test_retry_after(text: str, seconds: int | None) -> None:
    assert parse_retry_after(text, lambda: 1_445_412_420.0) == seconds


def test_retry_after_is_read(receiver: Receiver) -> None:
    receiver.usual = status(503, Retry_After="77")
    answer = told(receiver)
    assert (answer.status, answer.retry_after) == (503, 77)
    assert parse_retry_after(time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(0))) == 0
