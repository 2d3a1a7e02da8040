"""Workers die while bots think, or of it: nothing is left behind, and the games go on."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.config import Settings
from service.games import due_work
from service.games.codec import Replaced, decode_meta
from service.games.commands.requests import Creation, RequestContext
from service.games.table import state as table_state
from service.games.table.events import SeatPlan
from service.games.tokens import new_token
from service.rules.ruleset import rulesets
from service.store.redis_store import open_store
from tests.faults.deployment import running
from tests.rules.toy import Options
from tests.workers import unruly
from tests.workers.test_bot_sandbox import alive
from workers import context, jobs
from workers.context import WorkerContext

ROOT = Path(__file__).parents[2]

THINKS = """
import sys
from service.config import Settings  # noqa: E402
from service.store.redis_store import open_store
from workers import context, jobs

here = context.build_context(open_store(sys.argv[1]), Settings())
while jobs.do_work(here, "think", sys.argv[2]):
    pass
"""


def replacements(here: WorkerContext, game: str) -> list[Replaced | None]:
    """In whose place each append of a game was made."""
    metas = map(decode_meta, here.command_handler.repository.read_entries(game, 1, 10_000))
    return [meta.replaced for meta in metas if meta is not None]


def test_a_worker_killed_in_mid_thought(redis_url: str) -> None:
    here = context.build_context(open_store(redis_url), Settings())
    ruleset, host = next(iter(rulesets().values())), new_token()
    seats = (SeatPlan("bot", "a", "hard"),) * min(ruleset.seats)
    creation = Creation(ruleset, ruleset.options(), seats)
    game = here.command_handler.create(creation, host, RequestContext(host)).game
    command = [sys.executable, "-c", THINKS, redis_url, game.id]
    with subprocess.Popen(command, cwd=ROOT) as worker:
        place = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        limit = time.monotonic() + 30
        while not (found := place.read_text().split()):
            assert time.monotonic() < limit
            assert worker.poll() is None
        worker.kill()
        worker.wait()
    limit = time.monotonic() + 5
    while any(alive(int(child)) for child in found):
        assert time.monotonic() < limit, "a thought is left behind"
        time.sleep(0.01)
    before = here.command_handler.repository.load(game.id).game.version
    assert jobs.do_work(here, due_work.BOTS_ONLY_SEARCH, game.id)
    assert here.command_handler.repository.load(game.id).game.version > before


WEDGED = """
from service import bot_levels
from service.cli import main
from tests.workers import unruly
from workers import bot_sandbox

unruly.install(easy="wedge")
bot_levels.QUICK_SECONDS = bot_sandbox.MARGIN = 0.5
main(["worker", "fast"])
"""


def test_a_bot_that_wedges_its_worker_is_overcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker ends and is started again; then the bot thinks in a process that can be killed,

    and a lower level moves. The worker serves on.
    """
    monkeypatch.setattr("service.games.game.rulesets", rulesets)
    law, host = unruly.install(), new_token()
    monkeypatch.syspath_prepend(str(ROOT))
    with running(tmp_path, ((sys.executable, "-c", WEDGED),)) as place:
        command_handler = place.context.command_handler

        def lay(*levels: str) -> str:
            seats = tuple(SeatPlan("bot", level, level) for level in levels)
            creation = Creation(law, Options((("red", 1), ("blue", 0))), seats)
            return command_handler.create(creation, host, RequestContext(host)).game.id

        wedging = lay("easy", "random")
        limit = time.monotonic() + 60
        while command_handler.repository.load(wedging).game.table.status != table_state.FINISHED:
            assert time.monotonic() < limit, "the game does not end"
            time.sleep(0.02)
        assert Replaced("easy", "random", "overran") in replacements(place.context, wedging)
        assert place.worker.starts >= 2, "the worker was ended"
        other = lay("random", "random")
        while command_handler.repository.load(other).game.table.status != table_state.FINISHED:
            assert time.monotonic() < limit, "the worker does not serve on"
            time.sleep(0.02)
        assert set(replacements(place.context, other)) == {None}
