"""A line that shows progress, on terminals only."""

from __future__ import annotations

import sys
import time
from typing import Final, TextIO

PAUSE: Final = 0.1
"""Seconds between two updates."""


class Progress:
    """Rewrites one line of standard error; silent where that is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shows = self._stream.isatty()
        self._next = 0.0
        self._width = 0

    def show(self, text: str) -> None:
        """Shows the text, unless another one was shown a moment ago."""
        if not self._shows or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PAUSE
        self._write(text)

    def clear(self) -> None:
        """Clears the line."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)
