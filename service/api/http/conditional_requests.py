"""Conditional requests: ETags, If-Match and If-None-Match (RFC 9110)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from flask import g, request

from ...games.game import Game
from . import languages

_ENTITY_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_GAME_TAG: Final = re.compile(r"\"([0-9]{1,10})-[0-9a-f]{16}(-[a-z]{2})?\"")


def etag(game: Game) -> str:
    """Returns the strong entity tag of a game's version."""
    return f'"{game.version}-{game.hash[:8].hex()}"'


def localized_etag(game: Game) -> str:
    """Returns the entity tag of a text about a game's version: English texts have the game's own

    tag, those in other languages name the language behind it. If-Match takes both.
    """
    tag, language = etag(game), languages.request_language()
    return tag if language == languages.FIRST else f'{tag[:-1]}-{language}"'


def parse_etags(header: str) -> list[str] | None:
    """Returns the strong tags that a condition lists (with quotes), weak ones as `W/"…"`;

    None for `*`. What is no tag is left out: it matches nothing.
    """
    if header.strip() == "*":
        return None
    return [f'{weak}"{tag}"' for weak, tag in _ENTITY_TAG.findall(header)]


def if_match_condition() -> Callable[[Game], bool] | None:
    """Returns the If-Match condition, None where there is none."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    tags = parse_etags(header)
    if tags is None:
        return lambda game: True
    g.condition = tags = [_without_language(tag) for tag in tags]
    return lambda game: etag(game) in tags


def _without_language(tag: str) -> str:
    """Returns the game's tag where a tag is that of a text about it in some language."""
    match = _GAME_TAG.fullmatch(tag)
    return tag if match is None or match[2] is None else f'{tag[:-4]}"'


def if_match_version() -> int | None:
    """Returns the version that the caller's If-Match names, if it is of our form."""
    for tag in g.get("condition", ()):
        match = _GAME_TAG.fullmatch(tag)
        if match:
            return int(match[1])
    return None


def not_modified(tag: str) -> bool:
    """Returns whether If-None-Match names an entity tag (weak comparison)."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    if header == tag:
        return True
    tags = parse_etags(header)
    return tags is None or tag in [each.removeprefix("W/") for each in tags]
