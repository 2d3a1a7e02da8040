"""How a game is looked at: who sits where, what may be done, what was done last, in which words.

English stands in the drawings, as literals: templates with named facts, said by `Look.say` where
they stand, or kept by `phrase` and said later. Things of a game are called as its data name them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..rules.plain import Plain
from .drawing import LONGEST_NAME, cut

Names = Sequence[str | None]
FIRST: Final = "en"


def phrase(text: str) -> str:
    """Returns a text as it is: it is one that `Look.say` will say."""
    return text


SEAT: Final = phrase("Seat {seat}")


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture depends on beside the view.

    `names` are what the seats are called, as far as they are; `moves` are legal moves as they are
    listed (`seat`, `command`); `last` is the move made last in the same form (its seat None where
    time made it), or None; `translated` gives a template in the language.
    """

    names: Names = ()
    moves: Sequence[Plain] = ()
    last: Plain = None
    language: str = FIRST
    translated: Callable[[str], str] = str

    def say(self, template: str, **facts: object) -> str:
        """Returns a template in the language, filled with facts."""
        said = self.translated(template)
        return said.format(**facts) if facts else said

    def called(self, names: Mapping[str, str]) -> str:
        """Returns what a thing is called in the language, by its names in several."""
        return names.get(self.language, names[FIRST])

    def named(self, seat: int, word: str = SEAT) -> str:
        """Returns what a seat is called: its name, cut if it is long, else a word with `seat`."""
        name = self.names[seat] if seat < len(self.names) else None
        return cut(name, LONGEST_NAME) if name else self.say(word, seat=seat)

    def listed(self, parts: Iterable[object], none: str = phrase("none")) -> str:
        """Returns things with commas between them, or a word where there is none."""
        return ", ".join(map(str, parts)) or self.say(none)

    def may(self, *types: str) -> list[Plain]:
        """Returns the moves of some types of commands."""
        return [move for move in self.moves if move["command"]["type"] in types]

    def did(self, *types: str) -> Plain:
        """Returns the command made last, if its type is one of these (of any where none is named);

        else one without fields.
        """
        command = {} if self.last is None else self.last["command"]
        return command if not types or command.get("type") in types else {}

    def moved(self, seat: int) -> bool:
        """Returns whether a seat made the last move."""
        return self.last is not None and self.last["seat"] == seat


def headed(text: str) -> str:
    """Returns a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
