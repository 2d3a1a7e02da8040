"""The corpus: streams as versions of this service wrote them, and what they come to for ever.

A folder of `corpus` belongs to a version. Its streams are files of the archive, sealed, the entries
chained; `games.json` says of each game what it shows, where it ends (version and hash) and the hash
of its final state. Files are added, never changed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from service.games import views
from service.games.game import Game
from service.games.records import archive as archives
from service.store import Entry

CORPUS = Path(__file__).parent / "corpus"


class Stream(NamedTuple):
    """A stream of the corpus: the version that wrote it, its game, and what is known of it."""

    written_by: str
    game: str
    known: dict[str, Any]

    def entries(self) -> tuple[Entry, ...]:
        """The entries, as they were stored."""
        return archives.read_archive(CORPUS / self.written_by, self.game)


def listed(written_by: str) -> dict[str, Any]:
    """What is known of a version's games."""
    found: dict[str, Any] = json.loads((CORPUS / written_by / "games.json").read_text())
    return found


def streams() -> list[Stream]:
    """All streams, oldest first."""
    return [
        Stream(folder.name, game, known)
        for folder in sorted(CORPUS.iterdir())
        for game, known in listed(folder.name).items()
    ]


SHOWN_LATER = {
    "0.1.0": {
        "orleans": {"/seats": ("status_reached", "coin_spaces", "technology_placed")},
        "gabelle": {"/shelves": ("bought",)},
    },
}
"""What the parts of a view (lists) show that they did not when a version wrote its streams."""


def known(game: Game, about: str, written_by: str) -> dict[str, Any]:
    """What the corpus keeps of a game, as the version that wrote it would."""
    return {
        "about": about,
        "version": game.version,
        "hash": game.hash.hex(),
        "state": state_hash(game, written_by),
    }


def board(game: Game, written_by: str) -> Any:
    """The view of a game with what a version showed of it; None before the start."""
    if game.state is None:
        return None
    view: Any = game.ruleset.view(game.state)
    for pointer, names in SHOWN_LATER.get(written_by, {}).get(game.ruleset.id, {}).items():
        for part in view[pointer.removeprefix("/")]:
            for name in names:
                del part[name]
    return view


def state_hash(game: Game, written_by: str) -> str:
    """The hash of all that the rules and the table make of a game: nothing of how it is shown."""
    table = game.table
    score = views.current_score(game)
    whole = {
        "ruleset": game.ruleset.id,
        "version": game.version,
        "append_end": game.append_end,
        "status": table.status,
        "seats": [[seat.kind, seat.name, seat.level, seat.resigned] for seat in table.seats],
        "draws": table.next_draw,
        "times": [table.created_at, table.changed_at],
        "board": board(game, written_by),
        "score": None if score is None else score.plain(),
    }
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
