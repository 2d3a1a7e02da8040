"""Webhook addresses: the form of a URL, and which addresses are never called (SSRF protection).

A client's URL must not reach services that are open to this one alone. So a name is resolved first,
every address it has is checked here, and the request goes to a checked address.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final, NamedTuple

URL: Final = (
    r"(https?)://([A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])"
    r"(:[1-9][0-9]{0,4})?([/?][!\"$-~]{0,1800})?"
)
"""The form of a URL: plain ASCII, no user, no fragment."""

PORTS: Final = {"http": 80, "https": 443}
FREE_PORTS: Final = range(1024, 65_536)
"""Ports that may be called besides the default ones."""

_URL: Final = re.compile(URL)
_NEVER: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "168.63.129.16/32",  # a cloud's metadata service at a public address
            "192.0.0.0/24",  # protocol assignments, among them another metadata service
            "192.88.99.0/24",  # relays into 6to4
            "fec0::/10",  # site-local, deprecated
        ),
    )
)
_PRIVATE: Final = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)
"""Loopback and private networks: called only where the settings allow it."""

_METADATA: Final = (ipaddress.ip_address("fd00:ec2::254"), ipaddress.ip_address("fd20:ce::254"))
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


class Target(NamedTuple):
    """A URL in its parts: `host` as in the URL without brackets, `path` with its query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse_target(url: str, local: bool = False) -> Target:
    """Returns the parts of a URL. `local`: loopback and private networks may be called.

    Raises ValueError, saying why, for another form, for a forbidden port, and for a forbidden
    address; names are not resolved here.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise ValueError("must be an http or https URL of ASCII characters, no user, no fragment")
    scheme, host, _, port_, rest = match.groups()
    port = int(port_[1:]) if port_ else PORTS[scheme]
    if port not in FREE_PORTS and port not in PORTS.values():
        raise ValueError("must name port 80, 443 or one from 1024 to 65535")
    host = host.strip("[]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if ":" in host:
            raise ValueError("must name a host") from None
    else:
        if not is_allowed_address(host, local):
            raise ValueError("must not lead to a private, local or reserved address")
    path = rest or "/"
    return Target(scheme, host, port, path if path[0] == "/" else f"/{path}")


def is_allowed_address(address: str, local: bool = False) -> bool:
    """Returns whether an address (as text) may be called. `local`: also loopback and private ones.

    An IPv6 address that carries an IPv4 one is judged by the latter.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.scope_id is not None:
            return False
        inner = _embedded_ipv4(found)
        if inner is not None:
            return is_allowed_address(str(inner), local)
    if found in _METADATA or any(found in net for net in _NEVER if net.version == found.version):
        return False
    if any(found in net for net in _PRIVATE if net.version == found.version):
        return local
    refused = (
        found.is_multicast
        or found.is_reserved
        or found.is_unspecified
        or found.is_loopback
        or found.is_link_local
    )
    return found.is_global and not refused


def _embedded_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Returns the IPv4 address inside a mapped, 6to4 or NAT64 address."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour
