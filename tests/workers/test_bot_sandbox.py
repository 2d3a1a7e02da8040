"""Bots are held to their bounds, in a process of their own and in the worker's."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service import bot_levels
from service.bot_levels import QUICK, Level, SearchParameters, levels
from service.rules.chance import FreeChance
from service.rules.ruleset import start
from tests.rules.toy import Pebbles, Throw
from tests.workers.unruly import install
from workers import bot_sandbox, bots
from workers.bot_sandbox import BotError, BotFailed, BotOverran
from workers.bots import Decision

ROOT = Path(__file__).parents[2]
TINY = SearchParameters(
    simulations=3, seconds=0.1, width=3, drop=50.0, ahead=1, explore=2.0, trust=1.0, win=1.0,
    spread=10.0, depth=4,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_levels, "QUICK_SECONDS", 0.1)
    monkeypatch.setattr(bot_sandbox, "MARGIN", 0.1)


@pytest.fixture
def alarms() -> Iterator[list[int]]:
    """The alarms that reached this process, not the bot in it."""
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    yield rung
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def choose_decision(law: Any, level: str = "random", *, in_child: bool = False) -> tuple[Any, ...]:
    """What a bot thinks in the first position."""
    state, _ = start(law, 2, law.options(), FreeChance(random.Random(1)))
    seen = law.view(state)
    try:
        return bot_sandbox.choose_line(law, state, 0, level, random.Random(1), in_child=in_child)
    finally:
        assert law.view(state) == seen


def children() -> list[str]:
    """The processes that this one has begun and not ended."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


@pytest.mark.parametrize("level", QUICK)
def test_a_thought_is_the_same_here_and_apart(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_sandbox, "MARGIN", 5.0)
    assert choose_decision(Pebbles(), level) == choose_decision(Pebbles(), level, in_child=True)


@pytest.mark.parametrize("level", levels())
def test_thoughts_are_legal(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_sandbox, "MARGIN", 5.0)
    law = Pebbles()
    state, _ = start(law, 2, law.options(), FreeChance(random.Random(1)))
    assert choose_decision(law, level)[0] in law.legal(state, 0)


@pytest.mark.parametrize("deed", ["loop", "sleep", "stubborn"])
@pytest.mark.parametrize("in_child", [False, True])
def test_a_bot_that_takes_too_long_is_stopped(deed: str, in_child: bool) -> None:
    before = children()
    begun = time.monotonic()
    with pytest.raises(BotOverran, match="not ready"):
        choose_decision(install(random=deed), in_child=in_child)
    assert time.monotonic() - begun >= 0.2
    assert children() == before


def test_one_that_nothing_interrupts_is_killed_in_its_process() -> None:
    before = children()
    with pytest.raises(BotOverran):
        choose_decision(install(random="wedge"), in_child=True)
    assert children() == before


@pytest.mark.integration
def test_one_that_nothing_interrupts_ends_the_worker_itself() -> None:
    """The process that it wedges goes, and says where it was."""
    done = subprocess.run(
        [sys.executable, "-c", WEDGED], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert b"in wedge" in done.stderr


WEDGED = """
from tests.workers.test_bot_sandbox import bot_levels, bot_sandbox, choose_decision, install
bot_levels.QUICK_SECONDS = bot_sandbox.MARGIN = 0.1
choose_decision(install(random="wedge"))
"""


@pytest.mark.parametrize(
    ("deed", "in_child", "told"),
    [
        ("fail", False, "ZeroDivisionError"),
        ("fail", True, "ZeroDivisionError"),
        ("die", True, "died"),
        ("eat", True, "MemoryError"),
        ("shout", True, "no attribute"),
    ],
)
def test_a_bot_that_misbehaves_has_failed(
    deed: str, in_child: bool, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_sandbox, "MARGIN", 5.0)
    before = children()
    with pytest.raises(BotFailed, match=told):
        choose_decision(install(random=deed), in_child=in_child)
    assert children() == before


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (Decision(()), BotFailed),
        (Decision((Throw(),), TINY.simulations), None),
        (Decision((Throw(),), TINY.simulations + 1), BotOverran),
        (Decision((Throw(),) * 100_000, 1), BotFailed),
    ],
)
def test_simulations_and_lines_are_bounded(
    result: Decision, fault: type[BotError] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**levels(), "tiny": Level("tiny", "search", TINY, {})}
    monkeypatch.setattr(bot_sandbox, "levels", lambda: known)
    monkeypatch.setattr(bot_sandbox, "MARGIN", 5.0)
    monkeypatch.setattr(bots, "LEVELS", {"tiny": lambda *_: result})
    if fault is None:
        assert choose_decision(Pebbles(), "tiny") == result.line
    else:
        with pytest.raises(fault):
            choose_decision(Pebbles(), "tiny")


def test_what_a_child_says_is_judged() -> None:
    with pytest.raises(BotFailed, match="no command"):
        bot_sandbox._parse_decision(Pebbles(), {"line": [{"type": "fly"}], "simulations": 0})
    assert b"ZeroDivisionError" in bot_sandbox._encode_result(lambda: 1 // 0)


def test_the_alarm_of_the_job_goes_on(alarms: list[int]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 60)
    choose_decision(Pebbles())
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < left < 60
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(BotOverran):
        choose_decision(install(random="sleep"))
    limit = time.monotonic() + 5
    while not alarms and time.monotonic() < limit:
        time.sleep(0.01)
    assert alarms == [signal.SIGALRM]
    choose_decision(Pebbles())
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_threads_think_apart() -> None:
    """Alarms go to the main thread alone."""
    found: list[BaseException] = []

    def think() -> None:
        try:
            choose_decision(install(random="sleep"))
        except BotOverran as fault:
            found.append(fault)

    thread = threading.Thread(target=think)
    thread.start()
    thread.join(20)
    assert len(found) == 1


THINKING = """
import os
from tests.workers.test_bot_sandbox import choose_decision, install, bot_sandbox
bot_sandbox.MARGIN = 60
print("here", flush=True)
choose_decision(install(random="loop"), in_child=True)
"""


@pytest.mark.integration
def test_no_child_outlives_a_killed_worker() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", THINKING], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "here\n"
        place = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        limit = time.monotonic() + 20
        while not (found := place.read_text().split()):
            assert time.monotonic() < limit
        worker.kill()
        worker.wait()
    limit = time.monotonic() + 5
    while any(alive(int(child)) for child in found):
        assert time.monotonic() < limit, "a child is left behind"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"
