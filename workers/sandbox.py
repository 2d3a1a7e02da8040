"""Lets bots think within bounds of wall time, simulations and memory, whatever they do.

A level that searches thinks in a child process, a fork of the worker: the child has the position
as it is, writes what it came to into a pipe as JSON, and is killed when its time is up. It uses
none of the worker's connections and ends without running anything of the worker's. It does not
outlive the worker, not even one that was killed.

A level that answers at once thinks in the worker itself, since a fork would take longer than the
thought; an alarm interrupts it. Where not even an alarm gets through (a call that never comes back
to the interpreter), the worker gives up and ends; its work comes again when the lease ends, and is
then thought about `apart`, in a child too.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import logging
import os
import random
import resource
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

from service.games.table.events import FAILED, OVERRAN
from service.levels import QUICK, levels
from service.rules.described import dump_command, parse_command
from service.rules.plain import Misshapen
from service.rules.ruleset import AnyRuleset

from . import bots
from .bots import Line, Thought

log = logging.getLogger(__name__)

MARGIN: Final = 1.5
"""Seconds beyond a level's own: the last simulation ends, and machines are busy."""

MEMORY: Final = 512 << 20
"""Bytes that a child may take beyond what the worker has."""

LONGEST: Final = 1 << 20
"""Bytes that a child may write."""

STDERR: Final = 2
DEATH_SIGNAL: Final = 1
"""Linux' number of the request to be killed with one's parent."""

_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class BotFault(Exception):
    """A bot came to nothing that can be used. `reason` is the word for it."""

    reason: ClassVar[str]


class BotFailed(BotFault):
    """It raised, died, took too much memory, or said something that is no command."""

    reason = FAILED


class BotOverran(BotFault):
    """It took too long, or more simulations than its level has."""

    reason = OVERRAN


class _Alarm(BaseException):  # not one of those that a bot might catch
    """The time of a thought in this process is up."""


def time_allowed(ruleset: AnyRuleset, level: str) -> float:
    """Returns how long (s) a level may think in a ruleset: its own seconds and `MARGIN`."""
    return levels()[level].seconds(ruleset.id) + MARGIN


def think_line(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    *,
    apart: bool = False,
) -> Line:
    """Returns the commands that a bot of a level would send in a row; see `bots.thought`.

    Takes at most the level's seconds and `MARGIN`. `apart`: in a child process whatever the level.
    Leaves the state as it is. Raises `Failed` or `Overran`.
    """
    own = random.Random(generator.getrandbits(64))

    def think() -> Thought:
        return bots.thought(ruleset, state, seat, level, own, time.monotonic)

    most = time_allowed(ruleset, level)
    # Alarms go to the main thread alone
    here = threading.current_thread() is threading.main_thread()
    if level in QUICK and here and not apart:
        thought = _run_with_alarm(think, most)
    else:
        thought = _parse_thought(ruleset, run_in_child(lambda: _dump_thought(think()), most))
    figures = levels()[level].parameters_for(ruleset.id)
    if figures is not None and thought.simulations > figures.simulations:
        raise BotOverran(f"{thought.simulations} simulations, {figures.simulations} allowed")
    if not thought.line:
        raise BotFailed("no command")
    return thought.line


def _run_with_alarm(think: Callable[[], Thought], limit: float) -> Thought:
    """Returns what is thought here, or raises `Overran` after `limit` seconds, `Failed` for what is

    raised. After twice as long the process ends: nothing could interrupt it.
    """
    armed = [True]

    def ring(*_: object) -> None:
        if armed:
            armed.clear()
            raise _Alarm

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    left, _ = signal.setitimer(signal.ITIMER_REAL, limit)
    faulthandler.dump_traceback_later(2 * limit, exit=True, file=STDERR)
    try:
        try:
            return think()
        finally:
            armed.clear()
    except _Alarm:
        raise BotOverran(f"not ready after {limit} s") from None
    except Exception as fault:  # whatever a bot does wrong
        raise BotFailed(traceback.format_exc()) from fault
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # the alarm of the job around this
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - begun)))


def run_in_child(think: Callable[[], Any], limit: float) -> Any:
    """Returns the plain data that is thought in a child process, which is gone by then.

    Raises `Overran` after `limit` seconds, and `Failed` for whatever the child did wrong.
    """
    reading, writing = os.pipe()
    worker = os.getpid()
    child = os.fork()
    if child == 0:
        _run_child(worker, think, writing, limit)  # pragma: no cover - in the child
    os.close(writing)
    try:
        told = _read_pipe(reading, limit)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not told:
        raise BotFailed("it died")
    found = json.loads(told)
    if "fault" in found:
        raise BotFailed(found["fault"])
    return found["thought"]


def _read_pipe(pipe: int, limit: float) -> bytes:
    """Returns all that is written into a pipe until its other end closes."""
    end = time.monotonic() + limit
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    told = bytearray()
    while len(told) <= LONGEST:
        left = end - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise BotOverran(f"not ready after {limit} s")
        part = os.read(pipe, LONGEST)
        if not part:
            return bytes(told)
        told += part
    raise BotFailed(f"more than {LONGEST} bytes")


def _run_child(
    worker: int, think: Callable[[], Any], pipe: int, limit: float
) -> NoReturn:  # pragma: no cover - in the child
    """Thinks, tells and ends; nothing else of the worker's code runs in this process."""
    try:
        _limit_resources(worker, limit)
        told = memoryview(_encode_result(think))
        while told:
            told = told[os.write(pipe, told) :]
    finally:
        os._exit(0)


def _limit_resources(worker: int, limit: float) -> None:  # pragma: no cover - in the child
    """Bounds this process: it can't outlive the worker, nor its time by much, nor take all memory.

    It does not listen to the signals that ask the worker to end after the job at hand.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit + MARGIN)
    if sys.platform == "linux":
        _LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != worker:  # killed before it could be said
            os._exit(1)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _encode_result(think: Callable[[], Any]) -> bytes:
    """Returns as JSON what is thought, or what is raised."""
    try:
        told = {"thought": think()}
    except BaseException:  # whatever a bot does wrong, lack of memory included
        told = {"fault": traceback.format_exc()}
    return json.dumps(told).encode()


def _dump_thought(thought: Thought) -> Any:
    line = [dump_command(command) for command in thought.line]
    return {"line": line, "simulations": thought.simulations}


def _parse_thought(ruleset: AnyRuleset, told: Any) -> Thought:
    """Returns the thought that a child told. Raises `Failed`."""
    try:
        commands = [parse_command(ruleset.commands, each) for each in told["line"]]
    except Misshapen as fault:
        raise BotFailed(f"no command: {fault}") from fault
    return Thought(tuple(commands), told["simulations"])
