"""Where webhooks may lead."""

from __future__ import annotations

import pytest

from service.games.webhooks.addresses import Target, is_allowed_address, parse_target

PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101",
          "2002:101:101::1"]  # fmt: skip
OWN = ["127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::1",
       "fd12:3456::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
       "2002:7f00:1::1"]  # fmt: skip
NEVER = ["0.0.0.0", "0.1.2.3", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192",  # noqa: S104
         "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1",
         "255.255.255.255", "168.63.129.16", "192.88.99.1", "::", "fe80::1", "fe80::1%1", "fec0::1",
         "ff02::1", "::ffff:169.254.169.254", "::7f00:1", "64:ff9b::a9fe:a9fe", "2001:db8::1",
         "2001::1", "fd00:ec2::254", "64:ff9b:1::1", "2002:a9fe:a9fe::1", "100::1",
         "localhost", "", "127.1"]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_called(address: str) -> None:
    assert is_allowed_address(address)
    assert is_allowed_address(address, local=True)


@pytest.mark.parametrize("address", OWN)
def test_ones_own_only_if_it_is_set(address: str) -> None:
    assert not is_allowed_address(address)
    assert is_allowed_address(address, local=True)


@pytest.mark.parametrize("address", NEVER)
def test_the_rest_never(address: str) -> None:
    assert not is_allowed_address(address)
    assert not is_allowed_address(address, local=True)


@pytest.mark.parametrize(
    ("url", "parts", "authority"),
    [
        ("https://a.example", ("https", "a.example", 443, "/"), "a.example"),
        ("http://a.example:80/x", ("http", "a.example", 80, "/x"), "a.example"),
        ("http://a.example:443?q=1", ("http", "a.example", 443, "/?q=1"), "a.example:443"),
        ("https://a.example:8443/x?y", ("https", "a.example", 8443, "/x?y"), "a.example:8443"),
        ("https://[2606:4700::1]:9000/", ("https", "2606:4700::1", 9000, "/"),
         "[2606:4700::1]:9000"),
    ],
)  # fmt: skip
def test_urls(url: str, parts: tuple[str, str, int, str], authority: str) -> None:
    found = parse_target(url)
    assert found == Target(*parts)
    assert found.authority == authority


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://a.example/", "must be"),
        ("HTTPS://a.example/", "must be"),
        ("https://user@a.example/", "must be"),
        ("https://a.example/#part", "must be"),
        ("https://a.example/ x", "must be"),
        ("https://a.example/\r\nX: y", "must be"),
        ("https://a.example\\@b.example/", "must be"),
        ("https://ä.example/", "must be"),
        ("https:///x", "must be"),
        ("https://a.example:0/", "must be"),
        ("https://a.example/" + "x" * 2_000, "must be"),
        ("https://a.example:22/", "port"),
        ("https://a.example:65536/", "port"),
        ("https://[12:34]/", "host"),
        ("http://127.0.0.1/", "private"),
        ("http://[::1]:8000/", "private"),
        ("http://169.254.169.254/latest", "private"),
    ],
)
def test_urls_that_are_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_target(url)


def test_ones_own_urls() -> None:
    assert parse_target("http://127.0.0.1:5000/x", local=True).port == 5000
    with pytest.raises(ValueError, match="private"):
        parse_target("http://169.254.169.254/", local=True)
