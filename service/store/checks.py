"""Whether a server is fit to keep games: asked once at the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from .asking import Script
from .protocol import PARTITIONS
from .redis_store import CHANNEL

OLDEST: Final = (7, 0)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong ("error": do not start) or unwise ("warning"), in one line."""

    level: Literal["error", "warning"]
    text: str


def check_server(url: str, timeout: float = 5.0) -> list[Finding]:
    """Returns what is wrong with the server at a URL, errors first. Never raises for a server."""
    try:
        retry = Retry(NoBackoff(), 0)
        with redis.Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=retry,
            decode_responses=True,
        ) as client:
            info: dict[str, Any] = {
                **client.info("server"),
                **client.info("memory"),
                **client.info("persistence"),
                **client.info("replication"),
            }
            wrong = findings(info)
            if not any(finding.level == "error" for finding in wrong):
                wrong += _forbidden(client)
    except exceptions.NoPermissionError as fault:
        return [Finding("error", f"the server's user may not do what is needed: {fault}")]
    except (redis.RedisError, OSError, ValueError) as fault:
        return [Finding("error", f"no Redis or Valkey answers at REDIS_URL: {fault}")]
    return sorted(wrong, key=lambda found: found.level)


def findings(info: dict[str, Any]) -> list[Finding]:
    """Returns what the server's own account of itself shows to be wrong."""
    found = []
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        found.append(Finding("error", f"the server is version {version}; 7.0 or later is needed"))
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        found.append(
            Finding(
                "error",
                f"maxmemory-policy is {policy}: games would be lost; set it to noeviction",
            )
        )
    if not info.get("aof_enabled"):
        found.append(
            Finding("warning", "the server keeps no append-only file: a crash loses games")
        )
    elif info.get("aof_last_write_status", "ok") != "ok":
        found.append(Finding("error", "the server cannot write its append-only file"))
    if "cluster" in (info.get("redis_mode"), info.get("server_mode")):  # Redis' and Valkey's name
        found.append(
            Finding(
                "error", "the server is part of a cluster; a single or replicated one is needed"
            )
        )
    if info.get("role") == "slave":
        found.append(Finding("error", "the server is a read-only replica"))
    return found


def _forbidden(client: redis.Redis) -> list[Finding]:
    """Returns what the present user may not do although the scripts must."""
    wanted = Script("allowed").text.decode()
    for one in PARTITIONS:
        denied: Any = client.eval(wanted, 1, f"{{{one}}}:due", CHANNEL)
        if denied:
            names = ", ".join(denied)
            return [Finding("error", f"the server's user may not call {names} on keys {{{one}}}:*")]
    return []
