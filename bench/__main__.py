"""The whole suite: measures part by part and writes `bench/results.md`.

python -m bench [--quick] [PART …]

QUICK=1 in the environment is `--quick`: fewer rounds, shorter games. A part that fails leaves its
section as it was; the others go on, and the run ends with 1.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import traceback

from . import (
    engines,
    functions,
    http,
    machine,
    memory,
    page,
    pictures,
    replay,
    scale,
    startup,
    store,
    streams,
    strength,
)  # fmt: skip
from .timing import calibration

PARTS = {
    "engines": engines,
    "functions": functions,
    "replay": replay,
    "store": store,
    "http": http,
    "scale": scale,
    "memory": memory,
    "streams": streams,
    "whole": startup,
    "pictures": pictures,
    "strength": strength,
}


def main() -> int:
    """Runs from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", default=os.environ.get("QUICK") == "1")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    about = machine.describe(statistics.median(calibration() for _ in range(9)))
    if asked.quick:
        about += "\n- a quick run: fewer rounds, fewer games"
    page.write("Machine", about)
    failed = False
    for name in asked.parts or PARTS:
        part = PARTS[name]
        begun = time.monotonic()
        print(f"{name} …", flush=True)
        try:
            text = part.section(asked.quick)
        except Exception:  # the other parts are measured all the same
            traceback.print_exc()
            failed = True
            continue
        page.write(part.HEADING, text)
        print(f"{text}\n({time.monotonic() - begun:.0f} s)\n", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
