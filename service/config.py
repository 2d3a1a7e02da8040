"""All that can be set, read once from the environment.

    REDIS_URL                   the event store's Redis or Valkey, or several servers of a cluster
                                with commas between them; unset: the embedded server
    QUEUE_URL                   RQ's Redis; unset: database 1 of the same server
    BAILLI_STORE_ACKS           what confirms an append, "1 1 500": its server's append-only file
                                (1 or 0), those of so many replicas, within so many ms; unset: the
                                server's answer
    HOST, PORT                  where the API listens
    BAILLI_DATA                 folder for what is kept on disk: embedded server, archive
    BAILLI_WEB_WORKERS          API processes
    BAILLI_FSYNC                how the embedded server writes: always, everysec
    BAILLI_CACHE                games that a process keeps in memory
    BAILLI_PATIENCE_S           after so long a seat that keeps the game waiting counts as idle
    BAILLI_EXPIRE_S             unstarted games end after so long
    BAILLI_ABANDON_S            games in which nothing happens end after so long
    BAILLI_ARCHIVE_S            finished games go to the archive after so long; 0: never
    BAILLI_STREAMS              event streams and held requests that an API process keeps open
    BAILLI_STREAMS_PER_CLIENT   how many of them one client address may have open; 0: no limit
    BAILLI_GAMES_PER_TOKEN      games that are not over, of which one token is the host; 0: no limit
    BAILLI_HEARTBEAT_S          a stream on which nothing happens is sent a comment so often
    BAILLI_BODY_BYTES           the longest request body
    BAILLI_RATE_CREATE, BAILLI_RATE_CLAIM, BAILLI_RATE_JUDGE, BAILLI_RATE_IMPORT,
    BAILLI_RATE_TOURNAMENT      so many a minute for one client address: games made, seats
                                claimed, positions judged, records sent, tournaments laid; 0: no
                                limit
    BAILLI_RATE_ANALYSES        so many questions for a bot's advice a minute for one address; 0: no
                                limit
    BAILLI_RATE_TOKENS          so many refused tokens and codes a minute for one address; 0: no
                                limit
    BAILLI_RATE_HOOKS           so many requests that make webhooks or let them send, a minute for
                                one client address; 0: no limit
    BAILLI_BOTS_CLIENT, BAILLI_BOTS_ALL
                                so many games of bots alone may run at a time: for one client, in
                                all; 0: no limit
    BAILLI_HOOKS_LOCAL          1: webhooks may call loopback and private networks; 0: only others
    BAILLI_PROXIES              trusted reverse proxies in front (they set X-Forwarded-…)
    BAILLI_LOG                  the least that is written down: debug, info, warning, error
    PROMETHEUS_MULTIPROC_DIR    folder where API processes and workers share their counters

A value that does not fit raises `SettingsError` with one line that names the variable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar, cast, get_args
from urllib.parse import urlsplit, urlunsplit

from .games.due_work import Lifetimes
from .store import Acknowledgement
from .store.servers import split_urls

T = TypeVar("T")

SCHEMES: Final = ("redis", "rediss", "unix")
CLUSTERED: Final = SCHEMES[:2]
LogLevel = Literal["debug", "info", "warning", "error"]
LIMITS: Final = (
    "create",
    "claim",
    "judge",
    "import",
    "tournament",
    "analyses",
    "tokens",
    "hooks",
)
"""What is limited by rate, a minute and client address."""


class SettingsError(ValueError):
    """An environment variable does not fit; the text is one line for people."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process. Times are in the unit that the name says."""

    redis_url: str | None = None
    queue_url: str | None = None
    acks: Acknowledgement | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    data: Path = Path("var")
    web_workers: int = 2
    fsync: Literal["always", "everysec"] = "always"
    cache: int = 2_000
    patience_s: int = 24 * 3600
    expire_s: int = 24 * 3600
    abandon_s: int = 30 * 24 * 3600
    archive_s: int = 0
    streams: int = 1_000
    streams_per_client: int = 200
    games_per_token: int = 1_000
    heartbeat_s: int = 10
    body_bytes: int = 64 * 1024
    rate_create: int = 60
    rate_claim: int = 120
    rate_judge: int = 600
    rate_import: int = 10
    rate_tournament: int = 6
    rate_analyses: int = 30
    rate_tokens: int = 30
    rate_hooks: int = 60
    bots_client: int = 100
    bots_all: int = 500
    hooks_local: bool = False
    proxies: int = 0
    log: LogLevel = "info"
    metrics: Path | None = None

    @property
    def life(self) -> Lifetimes:
        """How long games last, in the form the write path takes."""
        archive = self.archive_s * 1000 if self.archive_s else None
        return Lifetimes(self.expire_s * 1000, self.abandon_s * 1000, archive)

    @property
    def patience(self) -> int:
        """When a waiting seat counts as idle (ms)."""
        return self.patience_s * 1000

    @property
    def archive(self) -> Path:
        """The folder of archived games."""
        return self.data / "archive"

    def rate(self, what: str) -> int:
        """Returns how many of `what` (one of `LIMITS`) a minute are allowed; 0: no limit."""
        return cast(int, getattr(self, f"rate_{what}"))

    def queues(self, redis_url: str) -> str:
        """Returns the address of RQ's Redis when the event store's is at `redis_url`."""
        if self.queue_url is not None:
            return self.queue_url
        return other_database(split_urls(redis_url)[0])

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Returns the settings that the environment states. Raises `SettingsError`."""
        env = os.environ if environment is None else environment

        def take(name: str, default: T, read: Callable[[str], T]) -> T:
            text = env.get(name, "").strip()
            if not text:
                return default
            try:
                return read(text)
            except ValueError as fault:
                raise SettingsError(f"{name} {fault}") from None

        def whole(low: int, high: int) -> Callable[[str], int]:
            def read(text: str) -> int:
                if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
                    raise ValueError(f"must be a whole number from {low} to {high}")
                return int(text)

            return read

        base = cls()
        year = 366 * 24 * 3600
        count = whole(0, 1_000_000)
        found = cls(
            redis_url=take("REDIS_URL", base.redis_url, _parse_urls),
            queue_url=take("QUEUE_URL", base.queue_url, _address),
            acks=take("BAILLI_STORE_ACKS", base.acks, _acks),
            host=take("HOST", base.host, str),
            port=take("PORT", base.port, whole(1, 65_535)),
            data=take("BAILLI_DATA", base.data, Path),
            web_workers=take("BAILLI_WEB_WORKERS", base.web_workers, whole(1, 64)),
            fsync=take("BAILLI_FSYNC", base.fsync, _fsync),
            cache=take("BAILLI_CACHE", base.cache, whole(1, 1_000_000)),
            patience_s=take("BAILLI_PATIENCE_S", base.patience_s, whole(0, year)),
            expire_s=take("BAILLI_EXPIRE_S", base.expire_s, whole(1, year)),
            abandon_s=take("BAILLI_ABANDON_S", base.abandon_s, whole(1, 10 * year)),
            archive_s=take("BAILLI_ARCHIVE_S", base.archive_s, whole(0, 10 * year)),
            streams=take("BAILLI_STREAMS", base.streams, whole(0, 100_000)),
            streams_per_client=take(
                "BAILLI_STREAMS_PER_CLIENT", base.streams_per_client, whole(0, 100_000)
            ),
            games_per_token=take("BAILLI_GAMES_PER_TOKEN", base.games_per_token, count),
            heartbeat_s=take("BAILLI_HEARTBEAT_S", base.heartbeat_s, whole(1, 15)),
            body_bytes=take("BAILLI_BODY_BYTES", base.body_bytes, whole(1_024, 8_000_000)),
            rate_create=take("BAILLI_RATE_CREATE", base.rate_create, count),
            rate_claim=take("BAILLI_RATE_CLAIM", base.rate_claim, count),
            rate_judge=take("BAILLI_RATE_JUDGE", base.rate_judge, count),
            rate_import=take("BAILLI_RATE_IMPORT", base.rate_import, count),
            rate_tournament=take("BAILLI_RATE_TOURNAMENT", base.rate_tournament, count),
            rate_analyses=take("BAILLI_RATE_ANALYSES", base.rate_analyses, count),
            rate_tokens=take("BAILLI_RATE_TOKENS", base.rate_tokens, count),
            rate_hooks=take("BAILLI_RATE_HOOKS", base.rate_hooks, count),
            bots_client=take("BAILLI_BOTS_CLIENT", base.bots_client, count),
            bots_all=take("BAILLI_BOTS_ALL", base.bots_all, count),
            hooks_local=bool(take("BAILLI_HOOKS_LOCAL", int(base.hooks_local), whole(0, 1))),
            proxies=take("BAILLI_PROXIES", base.proxies, whole(0, 9)),
            log=take("BAILLI_LOG", base.log, _log_level),
            metrics=take("PROMETHEUS_MULTIPROC_DIR", base.metrics, Path),
        )
        if len(split_urls(found.redis_url or "")) > 1 and found.queue_url is None:
            raise SettingsError("QUEUE_URL must be set where REDIS_URL names a cluster")
        return found


def other_database(url: str) -> str:
    """Returns the same server's address with the next database number."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db=1"
    number = int(parts.path.strip("/") or 0) + 1
    return urlunsplit(parts._replace(path=f"/{number}"))


def _address(text: str) -> str:
    if urlsplit(text).scheme not in SCHEMES:
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return text


def _parse_urls(text: str) -> str:
    several = split_urls(text)
    if len(several) > 1 and not all(urlsplit(one).scheme in CLUSTERED for one in several):
        raise ValueError("must name a cluster's servers by redis:// or rediss://")
    for one in several:
        _address(one)
    return text


def _acks(text: str) -> Acknowledgement:
    parts = text.split()
    fits = len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts)
    if fits:
        acks = Acknowledgement(*map(int, parts))
        if (
            acks.local <= 1
            and 1 <= acks.local + acks.replicas <= 10
            and 1 <= acks.timeout_ms <= 4_000
        ):
            return acks
    raise ValueError('must be like "1 1 500": own file (0 or 1), replicas (0 to 9), ms (1 to 4000)')


def _log_level(text: str) -> LogLevel:
    if text not in get_args(LogLevel):
        raise ValueError(f"must be one of {', '.join(get_args(LogLevel))}")
    return cast(LogLevel, text)


def _fsync(text: str) -> Literal["always", "everysec"]:
    if text == "always":
        return "always"
    if text == "everysec":
        return "everysec"
    raise ValueError("must be always or everysec")
