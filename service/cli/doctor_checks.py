"""The checks of `bailli doctor`: store, queues, due work, workers, clocks, archive and API.

Every check returns findings and never raises because of what it checks: what can't be reached is a
finding too.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker import Worker

from workers.queues import FAST, SLOW
from workers.worker import WORKER_TTL

from ..config import Settings
from ..games import due_work
from ..store import PARTITIONS, WEBHOOK, DueWork, Store, StoreError, startup_checks
from .openapi import build_contract

Level = Literal["ok", "warning", "error"]

OVERDUE_SECONDS: Final = 10.0
"""After so long, work that was not leased is overdue: the relay polls every second."""

MAX_LEASE_MS: Final = 150_000
"""The longest lease (ms): work that was leased is due again by then."""

MAX_ATTEMPTS: Final = 3
"""Work that was leased so often since it was due, and is not done, is stuck."""

MAX_WORK: Final = 1_000
"""How much of a partition's due list is read."""

MAX_NAMED: Final = 3
"""How many games a finding names."""

MAX_LAGS: Final = {FAST: 5.0, SLOW: 60.0}
"""Seconds that a job may wait in its queue."""

DEAD_SECONDS: Final = 3 * WORKER_TTL
"""After so long without a heartbeat a worker is dead."""

MAX_API_OFFSET: Final = 2.0
"""Seconds by which the API's clock may differ; HTTP dates are in whole seconds."""

MAX_STORE_OFFSET: Final = 1.0
"""Seconds by which the store's clock may differ."""

TIMEOUT: Final = 5.0

ONE_VERSION: Final = "run all processes of a service in the same version: stop all, then start all"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, about which part of the deployment, and how to fix it."""

    level: Level
    about: str
    text: str
    advice: str = ""


def check_store_and_queues(redis_url: str, settings: Settings) -> list[Finding]:
    """Checks persistence, eviction, versions and permissions of the servers."""
    found = _convert("store", startup_checks.check_server(redis_url, acks=settings.acks))
    return found + _convert(
        "queues", startup_checks.check_queues(settings.resolve_queue_url(redis_url))
    )


def check_clock(store: Store) -> list[Finding]:
    """Compares the store's clock with this machine's."""
    before = time.time()
    try:
        theirs = store.now() / 1000
    except StoreError as fault:
        return [_unreachable("clock", fault)]
    offset = theirs - (before + time.time()) / 2
    return [_compare_clocks("the store's", offset, MAX_STORE_OFFSET)]


def check_due_work(store: Store) -> list[Finding]:
    """Looks for work that nobody leases, and for work that is leased again and again."""
    try:
        now = store.now()
        work = [
            each for one in PARTITIONS for each in store.list_due(one, now + MAX_LEASE_MS, MAX_WORK)
        ]
    except StoreError as fault:
        return [_unreachable("due list", fault)]
    found = []
    overdue = [each for each in work if each.due_at < now - OVERDUE_SECONDS * 1000]
    if overdue:
        oldest = min(each.due_at for each in overdue)
        text = f"{_describe(overdue)} overdue, the oldest since {_format_time(oldest)}"
        advice = "start `bailli relay`, or see in its log why it leases nothing"
        found.append(Finding("error", "due list", text, advice))
    stuck = [
        each
        for each in work
        if each not in overdue and each.attempts >= MAX_ATTEMPTS and not _may_wait(each)
    ]
    if stuck:
        text = f"{_describe(stuck)} not done after {MAX_ATTEMPTS} attempts or more"
        advice = "make sure that workers run, and look for these games in their logs"
        found.append(Finding("warning", "due list", text, advice))
    return found or [Finding("ok", "due list", "nothing is overdue")]


def _may_wait(work: DueWork) -> bool:
    """Whether work may be leased often and not done: webhooks wait for their receivers, games of

    bots alone for all other work.
    """
    return work.kind.startswith(WEBHOOK) or work.kind in (
        due_work.BOTS_ONLY_MOVE,
        due_work.BOTS_ONLY_SEARCH,
    )


def check_workers(queues: Redis) -> list[Finding]:
    """Looks for a live worker of each queue, for jobs that wait long, and for failed ones."""
    found = []
    for name, word in ((FAST, "fast"), (SLOW, "slow")):
        try:
            found += _check_queue(Queue(name, connection=queues, serializer=JSONSerializer), word)
        except (RedisError, OSError) as fault:
            return [*found, _unreachable("queues", fault)]
    return found


def check_archive(settings: Settings) -> list[Finding]:
    """Checks that finished games can be archived."""
    if not settings.archive_s:
        return [Finding("ok", "archive", "finished games stay in the store (BAILLI_ARCHIVE_S)")]
    folder = settings.archive
    existing = next((each for each in (folder, *folder.parents) if each.is_dir()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=existing):
            return [Finding("ok", "archive", f"{folder} can be written")]
    except OSError as fault:
        text = f"{folder} can't be written: {fault.strerror}"
        advice = "let the workers' user write to BAILLI_DATA, or set it to another folder"
        return [Finding("error", "archive", text, advice)]


def check_api(url: str) -> list[Finding]:
    """Checks that an API is live, ready, of this version, and that its clock is right."""
    live = _get(url, "/livez")
    if live.status != 200:
        advice = "start the API, or correct --url; see its log"
        return [Finding("error", "API", f"{url}/livez: {live.description}", advice)]
    ready = _get(url, "/readyz")
    found = [Finding("ok", "API", f"{url} is live and ready")]
    if ready.status != 200:
        advice = (
            "see the findings on the store; a process that is shutting down is not ready either"
        )
        found = [Finding("error", "API", f"{url}/readyz: {ready.description}", advice)]
    own = version("bailli")
    info, contract = _get(url, "/"), _get(url, "/openapi.yaml")
    theirs = _parse_version(info.body)
    if theirs != own:
        text = f"the API has version {theirs}, this is {own}"
        found.append(Finding("error", "version", text, ONE_VERSION))
    elif contract.body != build_contract().encode():
        text = f"the API has version {own}, but serves another contract"
        found.append(Finding("error", "version", text, ONE_VERSION))
    else:
        found.append(Finding("ok", "version", f"the API has version {own} and serves its contract"))
    if live.offset is not None:
        found.append(_compare_clocks("the API's", live.offset, MAX_API_OFFSET))
    return found


class Response(NamedTuple):
    """The response to a request: its status (None: there was no response), its body, by how much

    (s) the server's clock is ahead of this machine's, and the status in words.
    """

    status: int | None
    body: bytes
    offset: float | None
    description: str


def _get(url: str, path: str) -> Response:
    before = time.time()
    try:
        with urllib.request.urlopen(url + path, timeout=TIMEOUT) as response:  # noqa: S310
            halfway = (before + time.time()) / 2
            sent = email.utils.parsedate_to_datetime(response.headers["Date"]).timestamp()
            offset = sent + 0.5 - halfway  # a date is cut to whole seconds
            return Response(response.status, response.read(), offset, str(response.status))
    except urllib.error.HTTPError as error:
        with error:
            return Response(error.code, error.read(), None, f"{error.code} {error.reason}")
    except (OSError, ValueError, TypeError, http.client.HTTPException) as fault:
        return Response(None, b"", None, f"no response: {getattr(fault, 'reason', fault)}")


def _parse_version(body: bytes) -> str:
    try:
        return str(json.loads(body)["version"])
    except (ValueError, KeyError, TypeError):
        return "unknown"


def _check_queue(queue: Queue, word: str) -> list[Finding]:
    now = datetime.now(UTC)
    found = []
    live = [each for each in Worker.all(queue=queue) if _silent_seconds(each, now) < DEAD_SECONDS]
    if live:
        found.append(Finding("ok", "workers", f"{len(live)} for {word} work"))
    else:
        text, advice = f"no worker does {word} work", f"start `bailli worker {word}`"
        found.append(Finding("error", "workers", text, advice))
    waited = _waiting_seconds(queue, now)
    text = f"{queue.count} jobs wait for {word} work, the first for {waited:.0f} s"
    if waited > MAX_LAGS[queue.name]:
        advice = f"start more of `bailli worker {word}`"
        found.append(Finding("warning", "queues", text, advice))
    else:
        found.append(Finding("ok", "queues", text))
    failed = FailedJobRegistry(queue=queue).count
    if failed:
        text = f"{failed} jobs of {word} work failed in the last hour"
        advice = "look in the workers' logs; what is still due is tried again automatically"
        found.append(Finding("warning", "queues", text, advice))
    return found


def _silent_seconds(worker: Any, now: datetime) -> float:
    """Returns how long ago (s) a worker's last heartbeat was."""
    heartbeat: datetime | None = worker.last_heartbeat
    return DEAD_SECONDS if heartbeat is None else (now - _as_utc(heartbeat)).total_seconds()


def _waiting_seconds(queue: Queue, now: datetime) -> float:
    """Returns for how long (s) the first job has waited; 0 where none does."""
    for job_id in queue.get_job_ids(0, 1):
        try:
            job = Job.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        except NoSuchJobError:  # a worker took it meanwhile
            return 0.0
        if job.enqueued_at is not None:
            return (now - _as_utc(job.enqueued_at)).total_seconds()
    return 0.0


def _as_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _convert(about: str, wrong: Iterable[startup_checks.Finding]) -> list[Finding]:
    found = [Finding(each.level, about, each.text, each.advice) for each in wrong]
    return found or [Finding("ok", about, "in order")]


def _unreachable(about: str, fault: Exception) -> Finding:
    advice = "see the findings on the servers"
    return Finding("error", about, f"can't be checked: {fault}", advice)


def _compare_clocks(whose: str, offset: float, limit: float) -> Finding:
    if abs(offset) <= limit:
        return Finding("ok", "clock", f"{whose} agrees with this machine's")
    way = "ahead of" if offset > 0 else "behind"
    text = f"{whose} is {abs(offset):.1f} s {way} this machine's"
    return Finding("warning", "clock", text, "synchronize all machines by NTP")


def _describe(work: Sequence[DueWork]) -> str:
    """Returns how much work it is, of which kinds, and for which games; names a few of these."""
    kinds = Counter(each.kind.partition("-")[0] for each in work)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    games = list(dict.fromkeys(each.game for each in sorted(work, key=lambda each: each.due_at)))
    more = ", …" if len(games) > MAX_NAMED else ""
    return f"{len(work)} pieces of work ({counts}; games {', '.join(games[:MAX_NAMED])}{more}) are"


def _format_time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")
