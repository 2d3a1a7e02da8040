"""What was measured on: machine, interpreter, libraries, server."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from service.store.embedded import server_binary

ROOT = Path(__file__).parents[1]
LIBRARIES = ("flask", "gunicorn", "gevent", "marshmallow", "redis", "hiredis", "rq", "orjson")


def processor() -> str:
    """Returns the processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory() -> str:
    """Returns how much memory there is."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{total / 2**30:.0f} GiB"


def commit() -> str:
    """Returns the short name of the commit that is measured, if this is a clone."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "no clone"


def server() -> str:
    """Returns the name and version of the embedded server."""
    done = subprocess.run(
        [server_binary(), "--version"], capture_output=True, text=True, check=True
    )
    return done.stdout.split(" sha=")[0].strip()


def describe(calibration: float) -> str:
    """Returns lines about all of it; `calibration`: the time (ms) of the calibration loop."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return "\n".join(
        (
            f"- {processor()}, {os.cpu_count()} cores, {memory()}; {platform.system()} "
            f"{platform.release()}",
            f"- Python {platform.python_version()}; {libraries}",
            f"- {server()}",
            f"- calibration loop (fixed plain Python and hashing): {calibration:.1f} ms",
            f"- measured at {commit()}",
        )
    )
