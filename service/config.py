"""The settings, read once from the environment.

    REDIS_URL                   the event store's Redis or Valkey, or several servers of a cluster
                                separated by commas; unset: the embedded server
    QUEUE_URL                   RQ's Redis; unset: database 1 of the same server
    BAILLI_STORE_ACKS           what makes an append durable, "1 1 500": its server's append-only
                                file (1 or 0), those of so many replicas, within so many ms; unset:
                                the server's response
    HOST, PORT                  where the API listens
    BAILLI_DATA                 folder for data on disk: embedded server, archive
    BAILLI_WEB_WORKERS          API processes
    BAILLI_FSYNC                when the embedded server syncs its file to disk: always, everysec
    BAILLI_CACHE                games that a process caches in memory
    BAILLI_PATIENCE_S           after so long a seat that the game waits for counts as idle
    BAILLI_EXPIRE_S             unstarted games end after so long
    BAILLI_ABANDON_S            games without any event end after so long
    BAILLI_ARCHIVE_S            finished games are archived after so long; 0: never
    BAILLI_STREAMS              event streams and held requests that an API process keeps open
    BAILLI_STREAMS_PER_CLIENT   how many of them one client address may have open; 0: no limit
    BAILLI_GAMES_PER_TOKEN      games that are not over, of which one token is the host; 0: no limit
    BAILLI_HEARTBEAT_S          seconds between comments on a quiet stream
    BAILLI_BODY_BYTES           maximum size of a request body
    BAILLI_RATE_CREATE, BAILLI_RATE_CLAIM, BAILLI_RATE_JUDGE, BAILLI_RATE_IMPORT,
    BAILLI_RATE_TOURNAMENT      how many a minute per client address: games created, seats claimed,
                                positions judged, records imported, tournaments created; 0: no limit
    BAILLI_RATE_ANALYSES        requests for a bot's advice a minute per client address; 0: no limit
    BAILLI_RATE_TOKENS          rejected tokens and codes a minute per client address; 0: no limit
    BAILLI_RATE_HOOKS           requests that add webhooks or trigger deliveries, a minute per
                                client address; 0: no limit
    BAILLI_BOTS_CLIENT, BAILLI_BOTS_ALL
                                how many games of bots alone may run at a time: per client, in all;
                                0: no limit
    BAILLI_HOOKS_LOCAL          1: webhooks may call loopback and private networks; 0: they may not
    BAILLI_PROXIES              trusted reverse proxies in front (they set X-Forwarded-…)
    BAILLI_LOG                  the lowest level that is logged: debug, info, warning, error
    PROMETHEUS_MULTIPROC_DIR    folder where API processes and workers share their metrics

An invalid value raises `SettingsError` with one line that names the variable.
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
CLUSTER_SCHEMES: Final = SCHEMES[:2]
LogLevel = Literal["debug", "info", "warning", "error"]
RATE_LIMITED: Final = (
    "create",
    "claim",
    "judge",
    "import",
    "tournament",
    "analyses",
    "tokens",
    "hooks",
)
"""What has a rate limit: so many a minute per client address."""


class SettingsError(ValueError):
    """An environment variable is invalid; the text is one line for people."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process. Times are in the unit that the name ends with."""

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
    def lifetimes(self) -> Lifetimes:
        """How long games last, in the form that the write path takes."""
        archive = self.archive_s * 1000 if self.archive_s else None
        return Lifetimes(self.expire_s * 1000, self.abandon_s * 1000, archive)

    @property
    def patience(self) -> int:
        """After how long (ms) a seat that the game waits for counts as idle."""
        return self.patience_s * 1000

    @property
    def archive(self) -> Path:
        """The folder of archived games."""
        return self.data / "archive"

    def rate_limit(self, name: str) -> int:
        """Returns how many of `name` (in `RATE_LIMITED`) a minute are allowed; 0: no limit."""
        return cast(int, getattr(self, f"rate_{name}"))

    def resolve_queue_url(self, redis_url: str) -> str:
        """Returns the URL of RQ's Redis if the event store's is `redis_url`."""
        if self.queue_url is not None:
            return self.queue_url
        return next_database_url(split_urls(redis_url)[0])

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Returns the settings in the environment. Raises `SettingsError`."""
        env = os.environ if environment is None else environment

        def take(name: str, default: T, read: Callable[[str], T]) -> T:
            text = env.get(name, "").strip()
            if not text:
                return default
            try:
                return read(text)
            except ValueError as fault:
                raise SettingsError(f"{name} {fault}") from None

        def whole_number(low: int, high: int) -> Callable[[str], int]:
            def read(text: str) -> int:
                if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
                    raise ValueError(f"must be a whole number from {low} to {high}")
                return int(text)

            return read

        defaults = cls()
        year = 366 * 24 * 3600
        count = whole_number(0, 1_000_000)
        settings = cls(
            redis_url=take("REDIS_URL", defaults.redis_url, _parse_urls),
            queue_url=take("QUEUE_URL", defaults.queue_url, _parse_url),
            acks=take("BAILLI_STORE_ACKS", defaults.acks, _parse_acks),
            host=take("HOST", defaults.host, str),
            port=take("PORT", defaults.port, whole_number(1, 65_535)),
            data=take("BAILLI_DATA", defaults.data, Path),
            web_workers=take("BAILLI_WEB_WORKERS", defaults.web_workers, whole_number(1, 64)),
            fsync=take("BAILLI_FSYNC", defaults.fsync, _parse_fsync),
            cache=take("BAILLI_CACHE", defaults.cache, whole_number(1, 1_000_000)),
            patience_s=take("BAILLI_PATIENCE_S", defaults.patience_s, whole_number(0, year)),
            expire_s=take("BAILLI_EXPIRE_S", defaults.expire_s, whole_number(1, year)),
            abandon_s=take("BAILLI_ABANDON_S", defaults.abandon_s, whole_number(1, 10 * year)),
            archive_s=take("BAILLI_ARCHIVE_S", defaults.archive_s, whole_number(0, 10 * year)),
            streams=take("BAILLI_STREAMS", defaults.streams, whole_number(0, 100_000)),
            streams_per_client=take(
                "BAILLI_STREAMS_PER_CLIENT", defaults.streams_per_client, whole_number(0, 100_000)
            ),
            games_per_token=take("BAILLI_GAMES_PER_TOKEN", defaults.games_per_token, count),
            heartbeat_s=take("BAILLI_HEARTBEAT_S", defaults.heartbeat_s, whole_number(1, 15)),
            body_bytes=take(
                "BAILLI_BODY_BYTES", defaults.body_bytes, whole_number(1_024, 8_000_000)
            ),
            rate_create=take("BAILLI_RATE_CREATE", defaults.rate_create, count),
            rate_claim=take("BAILLI_RATE_CLAIM", defaults.rate_claim, count),
            rate_judge=take("BAILLI_RATE_JUDGE", defaults.rate_judge, count),
            rate_import=take("BAILLI_RATE_IMPORT", defaults.rate_import, count),
            rate_tournament=take("BAILLI_RATE_TOURNAMENT", defaults.rate_tournament, count),
            rate_analyses=take("BAILLI_RATE_ANALYSES", defaults.rate_analyses, count),
            rate_tokens=take("BAILLI_RATE_TOKENS", defaults.rate_tokens, count),
            rate_hooks=take("BAILLI_RATE_HOOKS", defaults.rate_hooks, count),
            bots_client=take("BAILLI_BOTS_CLIENT", defaults.bots_client, count),
            bots_all=take("BAILLI_BOTS_ALL", defaults.bots_all, count),
            hooks_local=bool(
                take("BAILLI_HOOKS_LOCAL", int(defaults.hooks_local), whole_number(0, 1))
            ),
            proxies=take("BAILLI_PROXIES", defaults.proxies, whole_number(0, 9)),
            log=take("BAILLI_LOG", defaults.log, _parse_log_level),
            metrics=take("PROMETHEUS_MULTIPROC_DIR", defaults.metrics, Path),
        )
        if len(split_urls(settings.redis_url or "")) > 1 and settings.queue_url is None:
            raise SettingsError("QUEUE_URL must be set where REDIS_URL names a cluster")
        return settings


def next_database_url(url: str) -> str:
    """Returns the URL of the same server's next database."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db=1"
    number = int(parts.path.strip("/") or 0) + 1
    return urlunsplit(parts._replace(path=f"/{number}"))


def _parse_url(text: str) -> str:
    if urlsplit(text).scheme not in SCHEMES:
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return text


def _parse_urls(text: str) -> str:
    urls = split_urls(text)
    if len(urls) > 1 and not all(urlsplit(one).scheme in CLUSTER_SCHEMES for one in urls):
        raise ValueError("must name a cluster's servers by redis:// or rediss://")
    for one in urls:
        _parse_url(one)
    return text


def _parse_acks(text: str) -> Acknowledgement:
    parts = text.split()
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        acks = Acknowledgement(*map(int, parts))
        if (
            acks.local <= 1
            and 1 <= acks.local + acks.replicas <= 10
            and 1 <= acks.timeout_ms <= 4_000
        ):
            return acks
    raise ValueError('must be like "1 1 500": own file (0 or 1), replicas (0 to 9), ms (1 to 4000)')


def _parse_log_level(text: str) -> LogLevel:
    if text not in get_args(LogLevel):
        raise ValueError(f"must be one of {', '.join(get_args(LogLevel))}")
    return cast(LogLevel, text)


def _parse_fsync(text: str) -> Literal["always", "everysec"]:
    if text == "always":
        return "always"
    if text == "everysec":
        return "everysec"
    raise ValueError("must be always or everysec")
