"""A worker dies while a receiver has a message and has not answered: it is sent again, the same."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

from service.config import Settings
from service.games.commands.requests import Creation, RequestContext
from service.games.table.events import SeatPlan
from service.games.tokens import new_token
from service.games.webhooks.service import WebhookService
from service.rules.ruleset import rulesets
from service.store import webhook_work_kind
from service.store.redis_store import open_store
from tests.workers.receiver import receiving
from workers import context, jobs
from workers.webhooks.delivery import LEASE, deliver

WORKER = """
import sys
from service.config import Settings  # noqa: E402
from service.store.redis_store import open_store
from workers import context, jobs

here = context.build_context(open_store(sys.argv[1]), Settings(hooks_local=True))
jobs.do_work(here, sys.argv[3], sys.argv[2])
here.delivery_pool.wait(60)
"""


def test_a_worker_killed_in_mid_delivery(redis_url: str) -> None:
    store = open_store(redis_url)
    here = context.build_context(store, Settings(hooks_local=True))
    ruleset, host = next(iter(rulesets().values())), new_token()
    seats = (SeatPlan("bot", "a", "easy"),) * min(ruleset.seats)
    creation = Creation(ruleset, ruleset.options(), seats)
    game = here.command_handler.create(creation, host, RequestContext(host)).game
    with receiving() as receiver:
        webhook_service = WebhookService(store, here.command_handler.repository)
        types = ("game.events",)
        own = webhook_service.add(
            game.id, receiver.url, types, None, RequestContext(host)
        ).record.id
        jobs.do_work(here, "bot", game.id)
        receiver.acts = [receiver.hang]
        (lease,) = [
            each for each in store.lease_due(game.id[0], jobs.LEASES).work if own in each.kind
        ]
        command = [sys.executable, "-c", WORKER, redis_url, game.id, lease.kind]
        with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as worker:
            limit = time.monotonic() + 30
            while not receiver.got:
                assert time.monotonic() < limit
                assert worker.poll() is None
                time.sleep(0.01)
            jobs.do_work(here, "bot", game.id)  # more happens while it hangs
            worker.kill()
        kind = webhook_work_kind(own)
        due = store.get_due(game.id, (kind,))[kind]
        assert 0 < due - store.now() <= LEASE, "it comes back when the lease ends"
        assert webhook_service.list_deliveries(game.id, own, None, 10, host.hash) == []
        deliver(here, game.id, own)
    first, again, *more = receiver.got
    assert (again.id, again.body) == (first.id, first.body)
    data = [got.told["data"] for got in (first, *more)]
    assert all(one["version"] == two["after"] for one, two in itertools.pairwise(data))
    assert data[-1]["version"] == here.command_handler.repository.load(game.id).game.version
    store.close()
