"""Conditional requests: ETags, If-Match and If-None-Match (RFC 9110)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from flask import g, request

from ...games.game import Game
from . import languages

_ENTITY_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_GAME_ETAG: Final = re.compile(r"\"([0-9]{1,10})-[0-9a-f]{16}(-[a-z]{2})?\"")


def etag(game: Game) -> str:
    """Returns the strong entity tag of a game's version."""
    return f'"{game.version}-{game.hash[:8].hex()}"'


def localized_etag(game: Game) -> str:
    """Returns the entity tag of a translated representation of a game's version: the game's tag,

    with the language appended unless it is English. If-Match accepts both.
    """
    tag, language = etag(game), languages.request_language()
    return tag if language == languages.DEFAULT_LANGUAGE else f'{tag[:-1]}-{language}"'


def parse_etags(header: str) -> list[str] | None:
    """Returns the tags of a condition, strong ones with quotes, weak ones as `W/"…"`; None for `*`.

    Anything that is not a tag is left out: it matches nothing.
    """
    if header.strip() == "*":
        return None
    return [f'{weak}"{tag}"' for weak, tag in _ENTITY_TAG.findall(header)]


def if_match_condition() -> Callable[[Game], bool] | None:
    """Returns the predicate of the If-Match header, None without one."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    tags = parse_etags(header)
    if tags is None:
        return lambda game: True
    g.condition = tags = [_without_language(tag) for tag in tags]
    return lambda game: etag(game) in tags


def _without_language(tag: str) -> str:
    """Returns a tag without its language: the game's own tag."""
    match = _GAME_ETAG.fullmatch(tag)
    return tag if match is None or match[2] is None else f'{tag[:-4]}"'


def if_match_version() -> int | None:
    """Returns the version in the request's If-Match, None if no tag there is a game's."""
    for tag in g.get("condition", ()):
        match = _GAME_ETAG.fullmatch(tag)
        if match:
            return int(match[1])
    return None


def not_modified(tag: str) -> bool:
    """Returns whether If-None-Match lists an entity tag (weak comparison)."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    if header == tag:
        return True
    tags = parse_etags(header)
    return tags is None or tag in [candidate.removeprefix("W/") for candidate in tags]
