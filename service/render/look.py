"""The look of a picture: seats' names, legal moves, the last move, and the language of its texts.

The drawings hold English literals: templates with named facts, translated by `Look.say`, or marked
by `phrase` and translated later. The names of a game's things come from its data.
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
    """Returns a text as it is; marks it as one that `Look.say` will translate."""
    return text


SEAT: Final = phrase("Seat {seat}")


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture depends on besides the view.

    `names` are the seats' names, as far as there are; `moves` are legal moves in the form in which
    they are listed (`seat`, `command`); `last` is the last move in the same form (its seat None if
    the time ran out), or None; `translated` returns a template in the language.
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
        """Returns a thing's name in the language, from its names by language."""
        return names.get(self.language, names[FIRST])

    def named(self, seat: int, word: str = SEAT) -> str:
        """Returns a seat's name, cut if it is long; without one `word`, filled with `seat`."""
        name = self.names[seat] if seat < len(self.names) else None
        return cut(name, LONGEST_NAME) if name else self.say(word, seat=seat)

    def listed(self, parts: Iterable[object], none: str = phrase("none")) -> str:
        """Returns things separated by commas, or a word where there are none."""
        return ", ".join(map(str, parts)) or self.say(none)

    def may(self, *types: str) -> list[Plain]:
        """Returns the legal moves of these types of commands."""
        return [move for move in self.moves if move["command"]["type"] in types]

    def did(self, *types: str) -> Plain:
        """Returns the last command if its type is one of these (any, where none is named), else an

        empty one.
        """
        command = {} if self.last is None else self.last["command"]
        return command if not types or command.get("type") in types else {}

    def moved(self, seat: int) -> bool:
        """Returns whether a seat made the last move."""
        return self.last is not None and self.last["seat"] == seat


def headed(text: str) -> str:
    """Returns a text with a capital first letter."""
    return text[:1].upper() + text[1:]
