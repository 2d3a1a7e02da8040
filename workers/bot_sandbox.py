"""The sandbox of bots: it limits their wall time, simulations and memory, whatever they do.

A level that searches runs in a child process, a fork of the worker: the child has the position as
it is, writes its result into a pipe as JSON, and is killed when its time is up. It uses none of the
worker's connections and ends without running anything of the worker's. It does not outlive the
worker, not even one that was killed.

A level that moves at once runs in the worker itself, since a fork would take longer than the move;
an alarm interrupts it. Where not even an alarm gets through (a call that never returns to the
interpreter), the worker exits; its work is due again when the lease ends, and is then done
`in_child` too.
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

from service.bot_levels import QUICK, levels
from service.games.table.events import FAILED, OVERRAN
from service.rules.described import dump_command, parse_command
from service.rules.plain import Misshapen
from service.rules.ruleset import AnyRuleset

from . import bots
from .bots import Decision, Line

log = logging.getLogger(__name__)

MARGIN: Final = 1.5
"""Seconds beyond a level's own: for the last simulation to end, and for busy machines."""

MAX_MEMORY: Final = 512 << 20
"""Bytes that a child may take beyond what the worker has."""

MAX_OUTPUT: Final = 1 << 20
"""Bytes that a child may write."""

STDERR: Final = 2
PR_SET_PDEATHSIG: Final = 1
"""The option of Linux' prctl by which a process is killed when its parent dies."""

_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class BotError(Exception):
    """A bot gave no move. `reason` is the word for it in the record."""

    reason: ClassVar[str]


class BotFailed(BotError):
    """It raised, died, took too much memory, or returned something that is no command."""

    reason = FAILED


class BotOverran(BotError):
    """It took too long, or more simulations than its level may."""

    reason = OVERRAN


class _Alarm(BaseException):  # not one of those that a bot might catch
    """The time limit of a bot in this process is reached."""


def time_limit(ruleset: AnyRuleset, level: str) -> float:
    """Returns how long (s) a level may take in a ruleset: its own seconds and `MARGIN`."""
    return levels()[level].seconds(ruleset.id) + MARGIN


def choose_line(
    ruleset: AnyRuleset,
    state: Any,
    seat: int,
    level: str,
    generator: random.Random,
    *,
    in_child: bool = False,
) -> Line:
    """Returns the commands that a bot of a level sends in a row; see `bots.choose_decision`.

    Takes at most the level's seconds and `MARGIN`. `in_child`: in a child process whatever the
    level. Leaves the state as it is. Raises `BotFailed` or `BotOverran`.
    """
    bot_generator = random.Random(generator.getrandbits(64))

    def decide() -> Decision:
        return bots.choose_decision(ruleset, state, seat, level, bot_generator, time.monotonic)

    limit = time_limit(ruleset, level)
    # Only the main thread gets alarms
    is_main = threading.current_thread() is threading.main_thread()
    if level in QUICK and is_main and not in_child:
        decision = _run_with_alarm(decide, limit)
    else:
        decision = _parse_decision(ruleset, run_in_child(lambda: _dump_decision(decide()), limit))
    figures = levels()[level].parameters_for(ruleset.id)
    if figures is not None and decision.simulations > figures.simulations:
        raise BotOverran(f"{decision.simulations} simulations, {figures.simulations} allowed")
    if not decision.line:
        raise BotFailed("no command")
    return decision.line


def _run_with_alarm(decide: Callable[[], Decision], limit: float) -> Decision:
    """Runs `decide` in this process and returns its result.

    Raises `BotOverran` after `limit` seconds, `BotFailed` for whatever it raises. After twice as
    long the process exits: nothing could interrupt it.
    """
    armed = [True]

    def ring(*_: object) -> None:
        if armed:
            armed.clear()
            raise _Alarm

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    outer_alarm, _ = signal.setitimer(signal.ITIMER_REAL, limit)
    faulthandler.dump_traceback_later(2 * limit, exit=True, file=STDERR)
    try:
        try:
            return decide()
        finally:
            armed.clear()
    except _Alarm:
        raise BotOverran(f"not ready after {limit} s") from None
    except Exception as error:  # whatever a bot does wrong
        raise BotFailed(traceback.format_exc()) from error
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer_alarm:  # the alarm of the job around this
            signal.setitimer(
                signal.ITIMER_REAL, max(0.001, outer_alarm - (time.monotonic() - began))
            )


def run_in_child(compute: Callable[[], Any], limit: float) -> Any:
    """Returns the plain data that `compute` returns in a child process, which has ended by then.

    Raises `BotOverran` after `limit` seconds, and `BotFailed` for whatever the child did wrong.
    """
    reading, writing = os.pipe()
    worker = os.getpid()
    child = os.fork()
    if child == 0:
        _run_child(worker, compute, writing, limit)  # pragma: no cover - in the child
    os.close(writing)
    try:
        output = _read_pipe(reading, limit)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not output:
        raise BotFailed("it died")
    found = json.loads(output)
    if "error" in found:
        raise BotFailed(found["error"])
    return found["result"]


def _read_pipe(pipe: int, limit: float) -> bytes:
    """Returns everything written into a pipe until its other end closes, within `limit` seconds."""
    end = time.monotonic() + limit
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    output = bytearray()
    while len(output) <= MAX_OUTPUT:
        left = end - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise BotOverran(f"not ready after {limit} s")
        part = os.read(pipe, MAX_OUTPUT)
        if not part:
            return bytes(output)
        output += part
    raise BotFailed(f"more than {MAX_OUTPUT} bytes")


def _run_child(
    worker: int, compute: Callable[[], Any], pipe: int, limit: float
) -> NoReturn:  # pragma: no cover - in the child
    """Computes, writes and ends; nothing else of the worker's code runs in this process."""
    try:
        _limit_resources(worker, limit)
        output = memoryview(_encode_result(compute))
        while output:
            output = output[os.write(pipe, output) :]
    finally:
        os._exit(0)


def _limit_resources(worker: int, limit: float) -> None:  # pragma: no cover - in the child
    """Limits this process: it can't outlive the worker, nor its time by much, nor take all memory.

    It ignores the signals that ask the worker to end after the present job.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit + MARGIN)
    if sys.platform == "linux":
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != worker:  # the worker died before prctl was called
            os._exit(1)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        max_memory = pages * resource.getpagesize() + MAX_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))


def _encode_result(compute: Callable[[], Any]) -> bytes:
    """Returns as JSON the result, or the traceback of what was raised."""
    try:
        result = {"result": compute()}
    except BaseException:  # whatever a bot does wrong, lack of memory included
        result = {"error": traceback.format_exc()}
    return json.dumps(result).encode()


def _dump_decision(decision: Decision) -> Any:
    line = [dump_command(command) for command in decision.line]
    return {"line": line, "simulations": decision.simulations}


def _parse_decision(ruleset: AnyRuleset, data: Any) -> Decision:
    """Returns the decision in a child's output. Raises `BotFailed`."""
    try:
        commands = [parse_command(ruleset.commands, each) for each in data["line"]]
    except Misshapen as error:
        raise BotFailed(f"no command: {error}") from error
    return Decision(tuple(commands), data["simulations"])
