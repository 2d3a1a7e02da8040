"""Whether a deployment is well: its store, its queues, what is due, who works, its API.

Every examination returns findings and never raises for what it examines: what can't be asked is a
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
from .contract import written

Level = Literal["ok", "warning", "error"]

LATE: Final = 10.0
"""Seconds after which work that nobody took is overdue: the relay looks every second."""

AHEAD: Final = 150_000
"""The longest lease (ms): work that was taken is due again by then."""

OFTEN: Final = 3
"""Work that was taken so often since it was due, and is not done, is stuck."""

MOST: Final = 1_000
"""So much of a partition's due list is looked at."""

SHOWN: Final = 3
"""So many games are named."""

LAGS: Final = {FAST: 5.0, SLOW: 60.0}
"""Seconds that a job may wait in its queue."""

SILENT: Final = 3 * WORKER_TTL
"""Seconds after which a worker that says nothing is dead."""

APART: Final = 2.0
"""Seconds by which clocks may differ; HTTP tells whole ones."""

TIMEOUT: Final = 5.0

ONE_VERSION: Final = "run all parts of one service in one version: stop them, then start them"


@dataclass(frozen=True, slots=True)
class Finding:
    """What an examination found, about which part, and what to do about it."""

    level: Level
    about: str
    text: str
    advice: str = ""


def store_and_queues(redis_url: str, settings: Settings) -> list[Finding]:
    """Looks at persistence, eviction, versions and rights of the servers."""
    found = _checked("store", startup_checks.check_server(redis_url, acks=settings.acks))
    return found + _checked("queues", startup_checks.check_queues(settings.queues(redis_url)))


def clock(store: Store) -> list[Finding]:
    """Compares the store's clock with this machine's."""
    before = time.time()
    try:
        theirs = store.now() / 1000
    except StoreError as fault:
        return [_silent("clock", fault)]
    return [_apart("the store's", theirs - (before + time.time()) / 2, 1.0)]


def due(store: Store) -> list[Finding]:
    """Looks for work that nobody takes, and for work that is taken again and again."""
    try:
        now = store.now()
        owed = [each for one in PARTITIONS for each in store.list_due(one, now + AHEAD, MOST)]
    except StoreError as fault:
        return [_silent("due list", fault)]
    found = []
    late = [each for each in owed if each.due_at < now - LATE * 1000]
    if late:
        oldest = min(each.due_at for each in late)
        text = f"{_told(late)} overdue, the oldest since {_moment(oldest)}"
        advice = "start `bailli relay`, or see in its log why it takes nothing"
        found.append(Finding("error", "due list", text, advice))
    stuck = [
        each for each in owed if each not in late and each.attempts >= OFTEN and not _waits(each)
    ]
    if stuck:
        text = f"{_told(stuck)} taken {OFTEN} times or more and not done"
        advice = "see that workers run, and look for these games in their logs"
        found.append(Finding("warning", "due list", text, advice))
    return found or [Finding("ok", "due list", "nothing is overdue")]


def _waits(lease: DueWork) -> bool:
    """Whether work may be taken often and not done: hooks wait for others, games of bots alone for

    whatever is not theirs.
    """
    return lease.kind.startswith(WEBHOOK) or lease.kind in (
        due_work.BOTS_ONLY_MOVE,
        due_work.BOTS_ONLY_SEARCH,
    )


def workers(queues: Redis) -> list[Finding]:
    """Looks for a worker of each queue that lives, for jobs that wait long, and for failed ones."""
    found = []
    for name, word in ((FAST, "fast"), (SLOW, "slow")):
        try:
            found += _of_queue(Queue(name, connection=queues, serializer=JSONSerializer), word)
        except (RedisError, OSError) as fault:
            return [*found, _silent("queues", fault)]
    return found


def archive(settings: Settings) -> list[Finding]:
    """Sees whether finished games can go where they are to go."""
    if not settings.archive_s:
        return [Finding("ok", "archive", "finished games stay in the store (BAILLI_ARCHIVE_S)")]
    folder = settings.archive
    existing = next((each for each in (folder, *folder.parents) if each.is_dir()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=existing):
            return [Finding("ok", "archive", f"{folder} can be written")]
    except OSError as fault:
        text = f"{folder} can't be written: {fault.strerror}"
        advice = "give BAILLI_DATA to the user that the workers run as, or set it elsewhere"
        return [Finding("error", "archive", text, advice)]


def api(url: str) -> list[Finding]:
    """Asks an API whether it lives, is ready, is of this version, and what time it has."""
    live = _asked(url, "/livez")
    if live.status != 200:
        advice = "start the API, or correct --url; its log tells why it does not answer"
        return [Finding("error", "API", f"{url}/livez: {live.said}", advice)]
    ready = _asked(url, "/readyz")
    found = [Finding("ok", "API", f"{url} lives and is ready")]
    if ready.status != 200:
        advice = "see the findings on the store; a process that is about to end says this too"
        found = [Finding("error", "API", f"{url}/readyz: {ready.said}", advice)]
    own = version("bailli")
    about, contract = _asked(url, "/"), _asked(url, "/openapi.yaml")
    theirs = _version_of(about.body)
    if theirs != own:
        text = f"the API is of version {theirs}, this is {own}"
        found.append(Finding("error", "version", text, ONE_VERSION))
    elif contract.body != written().encode():
        text = f"the API is of version {own}, but its contract is another"
        found.append(Finding("error", "version", text, ONE_VERSION))
    else:
        found.append(Finding("ok", "version", f"the API is of version {own}, its contract too"))
    if live.ahead is not None:
        found.append(_apart("the API's", live.ahead, APART))
    return found


class Answer(NamedTuple):
    """What came of a request: a status or None, the body, by how much (s) the sender's clock is

    ahead of this machine's, and the status in words.
    """

    status: int | None
    body: bytes
    ahead: float | None
    said: str


def _asked(url: str, path: str) -> Answer:
    before = time.time()
    try:
        with urllib.request.urlopen(url + path, timeout=TIMEOUT) as answer:  # noqa: S310
            halfway = (before + time.time()) / 2
            sent = email.utils.parsedate_to_datetime(answer.headers["Date"]).timestamp()
            # A date is cut to whole seconds.
            return Answer(answer.status, answer.read(), sent + 0.5 - halfway, str(answer.status))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read(), None, f"{error.code} {error.reason}")
    except (OSError, ValueError, TypeError, http.client.HTTPException) as fault:
        return Answer(None, b"", None, f"no answer: {getattr(fault, 'reason', fault)}")


def _version_of(body: bytes) -> str:
    try:
        return str(json.loads(body)["version"])
    except (ValueError, KeyError, TypeError):
        return "unknown"


def _of_queue(queue: Queue, word: str) -> list[Finding]:
    now = datetime.now(UTC)
    found = []
    alive = [each for each in Worker.all(queue=queue) if _silence(each, now) < SILENT]
    if alive:
        found.append(Finding("ok", "workers", f"{len(alive)} for {word} work"))
    else:
        text, advice = f"no worker does {word} work", f"start `bailli worker {word}`"
        found.append(Finding("error", "workers", text, advice))
    waited = _waited(queue, now)
    text = f"{queue.count} jobs wait for {word} work, the first for {waited:.0f} s"
    if waited > LAGS[queue.name]:
        advice = f"start more of `bailli worker {word}`"
        found.append(Finding("warning", "queues", text, advice))
    else:
        found.append(Finding("ok", "queues", text))
    failed = FailedJobRegistry(queue=queue).count
    if failed:
        text = f"{failed} jobs of {word} work failed in the last hour"
        advice = "look in the workers' logs; what is still owed comes again by itself"
        found.append(Finding("warning", "queues", text, advice))
    return found


def _silence(worker: Any, now: datetime) -> float:
    """Returns for how long (s) a worker has said nothing."""
    heard: datetime | None = worker.last_heartbeat
    return SILENT if heard is None else (now - _aware(heard)).total_seconds()


def _waited(queue: Queue, now: datetime) -> float:
    """Returns for how long (s) the first job has waited; 0 where none does."""
    for job_id in queue.get_job_ids(0, 1):
        try:
            job = Job.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        except NoSuchJobError:  # it has been taken meanwhile
            return 0.0
        if job.enqueued_at is not None:
            return (now - _aware(job.enqueued_at)).total_seconds()
    return 0.0


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _checked(about: str, wrong: Iterable[startup_checks.Finding]) -> list[Finding]:
    found = [Finding(each.level, about, each.text, each.advice) for each in wrong]
    return found or [Finding("ok", about, "fit for its work")]


def _silent(about: str, fault: Exception) -> Finding:
    advice = "see the findings on the servers"
    return Finding("error", about, f"can't be looked at: {fault}", advice)


def _apart(whose: str, ahead: float, most: float) -> Finding:
    if abs(ahead) <= most:
        return Finding("ok", "clock", f"{whose} agrees with this machine's")
    way = "ahead of" if ahead > 0 else "behind"
    text = f"{whose} is {abs(ahead):.1f} s {way} this machine's"
    return Finding("warning", "clock", text, "let all machines take their time by NTP")


def _told(owed: Sequence[DueWork]) -> str:
    """Returns how much work is meant, of which kinds, for which games, as far as there is room."""
    kinds = Counter(each.kind.partition("-")[0] for each in owed)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    games = list(dict.fromkeys(each.game for each in sorted(owed, key=lambda each: each.due_at)))
    more = ", …" if len(games) > SHOWN else ""
    return f"{len(owed)} pieces of work ({told}; games {', '.join(games[:SHOWN])}{more}) are"


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")
