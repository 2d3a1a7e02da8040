"""The supervisor: its processes are kept running, stopped, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.cli import orphan_guard, supervisor
from service.cli.supervisor import ManagedProcess, Supervisor

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
DEAF = [
    sys.executable,
    "-S",
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "print('deaf', flush=True); time.sleep(60)",
]


def until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.01)


def lives(pid: int) -> bool:
    """Whether a process runs (one that waits to be collected does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_of(part: ManagedProcess) -> int:
    assert part.process is not None
    return part.process.pid


@pytest.fixture
def chief() -> Iterator[Supervisor]:
    one = Supervisor()
    yield one
    one.stop()
    one.close()


def test_a_part_runs_until_it_is_stopped(chief: Supervisor) -> None:
    part = ManagedProcess("sleep", SLEEP)
    chief.add(part)
    assert part.running
    pid = pid_of(part)
    chief.stop()
    assert not part.running
    assert not lives(pid)


def test_a_dead_part_is_started_again(chief: Supervisor) -> None:
    part = ManagedProcess("sleep", SLEEP)
    chief.add(part)
    first = pid_of(part)
    os.kill(first, signal.SIGKILL)
    until(lambda: not part.running)
    until(lambda: chief.restart_dead() is None and part.running, 2)
    assert pid_of(part) != first
    assert part.starts == 2


def test_a_part_that_keeps_dying_is_started_ever_more_slowly(
    chief: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: now[0])
    part = ManagedProcess("fails", [sys.executable, "-S", "-c", "raise SystemExit(3)"])
    chief.add(part)
    pauses = []
    for _ in range(8):
        assert part.process is not None
        part.process.wait()
        chief.restart_dead()
        pauses.append(part.restart_pause)
        starts = part.starts
        chief.restart_dead()
        assert part.starts == starts
        now[0] += part.restart_pause
        chief.restart_dead()
        assert part.starts == starts + 1
    assert pauses == sorted(pauses)
    assert pauses[0] == pytest.approx(0.1)
    assert pauses[-1] == supervisor.MAX_RESTART_PAUSE
    now[0] += supervisor.STEADY_SECONDS
    part.process.wait()
    chief.restart_dead()
    assert part.restart_pause == 0.0
    assert part.starts == 10


def test_a_part_that_does_not_listen_is_killed(
    chief: Supervisor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.3)
    part = ManagedProcess("deaf", [*DEAF[:-1], DEAF[-1].replace("print('deaf', flush=True); ", "")])
    chief.add(part)
    time.sleep(0.3)
    pid = pid_of(part)
    chief.stop()
    assert not lives(pid)
    assert "deaf does not end" in caplog.text


def test_the_last_part_ends_after_the_others(chief: Supervisor, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    code = (
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    time.sleep(float(sys.argv[2]))\n"
        "    open(sys.argv[3], 'a').write(sys.argv[1] + '\\n')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "open(sys.argv[3] + sys.argv[1], 'w').close()\n"
        "time.sleep(60)\n"
    )
    for name, pause, last in (("store", "0", True), ("api", "0.3", False)):
        command = [sys.executable, "-S", "-c", code, name, pause, str(notes)]
        chief.add(ManagedProcess(name, command, stop_last=last))
        until(lambda name=name: Path(f"{notes}{name}").exists())  # type: ignore[misc]
    chief.stop()
    assert notes.read_text().split() == ["api", "store"]


def test_run_tends_until_it_is_told_to_stop(chief: Supervisor) -> None:
    stop = threading.Event()
    part = ManagedProcess("sleep", SLEEP)
    chief.add(part)
    thread = threading.Thread(target=chief.run, args=(stop, 0.01))
    thread.start()
    os.kill(pid_of(part), signal.SIGKILL)
    until(lambda: part.starts == 2)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    assert not part.running


def test_a_part_gets_its_environment(chief: Supervisor, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = "import os, sys; open(sys.argv[1], 'w').write(os.environ['COLOUR'])"
    part = ManagedProcess("writes", [sys.executable, "-S", "-c", code, str(out)], {"COLOUR": "red"})
    chief.add(part)
    assert part.process is not None
    part.process.wait()
    assert out.read_text() == "red"


@pytest.mark.parametrize("command", [SLEEP, DEAF], ids=["listens", "deaf"])
def test_parts_end_with_a_killed_supervisor(command: list[str]) -> None:
    """SIGKILL leaves the supervisor no time to stop anything: the pipe does it."""
    code = (
        "import sys, time\n"
        "from service.cli import orphan_guard\n"
        "from service.cli.supervisor import ManagedProcess, Supervisor\n"
        "chief = Supervisor()\n"
        f"chief.add(ManagedProcess('part', {command!r}))\n"
        "print(chief.processes[0].process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    chief = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert chief.stdout is not None
    pid = int(chief.stdout.readline())
    if command is DEAF:
        assert chief.stdout.readline() == b"deaf\n"
    assert lives(pid)
    chief.kill()
    chief.wait()
    until(lambda: not lives(pid), orphan_guard.STOP_SECONDS + 3)
    chief.stdout.close()


class Ended(BaseException):
    """A process would be gone here."""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    for end in (read_end, write_end):
        try:
            os.close(end)
        except OSError:
            assert end == read_end


def test_the_watcher_asks_first_and_kills_later(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getppid()
    sent: list[int] = []
    monkeypatch.setattr(orphan_guard, "STOP_SECONDS", 0.0)
    monkeypatch.setattr(orphan_guard.signal, "signal", lambda *_: None)
    monkeypatch.setattr(orphan_guard.os, "getppid", lambda: parent if sent[1:] == [] else 1)
    monkeypatch.setattr(orphan_guard.os, "kill", lambda pid, number: sent.append(number))
    read_end, write_end = os.pipe()
    os.close(write_end)
    orphan_guard.guard(read_end, parent)
    os.close(read_end)
    assert sent == [signal.SIGTERM, signal.SIGKILL]


def test_the_watcher_leaves_with_its_command(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([7, 7, 1])
    monkeypatch.setattr(orphan_guard, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(orphan_guard.signal, "signal", lambda *_: None)
    monkeypatch.setattr(orphan_guard.os, "getppid", lambda: next(answers))
    monkeypatch.setattr(orphan_guard.os, "kill", lambda *_: pytest.fail("nothing is to be ended"))
    orphan_guard.guard(pipe[0], 7)
    assert list(answers) == []


@pytest.mark.parametrize("child", [True, False], ids=["watcher", "command"])
def test_the_process_becomes_the_command(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch, child: bool
) -> None:
    told: list[Any] = []

    def ends(*what: Any) -> None:
        told.append(what)
        raise Ended

    monkeypatch.setattr(orphan_guard.os, "fork", lambda: 0 if child else 99)
    monkeypatch.setattr(orphan_guard.os, "_exit", ends)
    monkeypatch.setattr(orphan_guard.os, "execvp", ends)
    monkeypatch.setattr(orphan_guard, "guard", lambda *what: told.append(what))
    with pytest.raises(Ended):
        orphan_guard.main([str(pipe[0]), "sleep", "60"])
    if child:
        assert told == [(pipe[0], os.getpid()), (0,)]
    else:
        assert told == [("sleep", ["sleep", "60"])]
