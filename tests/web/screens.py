"""Takes the pictures of the table in docs/rules: python -m tests.web.screens."""

from __future__ import annotations

import base64
import tempfile
import time
from pathlib import Path

from service.rules.ruleset import rulesets
from tests.contract.running import running

from .browser import browsing
from .driving import Visitor

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
MOVES = 14
SIZE = (1100, 760)
QUALITY = 72


def main() -> None:
    """Plays a little of each game and writes what is seen then."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as url,
        browsing() as browser,
    ):
        for ruleset in rulesets().values():
            visitor = Visitor(browser, url, seed=7)
            visitor.page.looks(*SIZE)
            visitor.create(ruleset, second="easy")
            for _ in range(MOVES):
                if visitor.due():
                    visitor.move()
            visitor.due()
            visitor.page.run("window.scrollTo(0, 0)")
            time.sleep(1)  # nothing moves any more
            taken = visitor.page.send("Page.captureScreenshot", format="webp", quality=QUALITY)
            (FOLDER / f"{ruleset.id}.webp").write_bytes(base64.b64decode(taken["data"]))
            visitor.page.close()


if __name__ == "__main__":
    main()
