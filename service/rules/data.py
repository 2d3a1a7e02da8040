"""Data files: figures and texts of a package, in its folder `data`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def read(package: str, name: str) -> Any:
    """Returns what the JSON file `name` in the folder `data` of a package holds."""
    return json.loads((files(package) / "data" / name).read_text("utf-8"))
