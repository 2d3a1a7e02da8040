"""Request and response headers (and `?lang=`) as OpenAPI documents them."""

from __future__ import annotations

from typing import Final

ETAG: Final = {
    "description": "the game's version and head hash, quoted; for If-Match and If-None-Match",
    "schema": {"type": "string"},
}
TEXT_ETAG: Final = {
    "description": "the game's version and head hash, with the language unless it is English; for "
    "If-Match",
    "schema": {"type": "string"},
}
LANGUAGE: Final = {
    "description": "the language of the texts: en, fr or pt",
    "schema": {"type": "string"},
}
LANGUAGES: Final = (
    {
        "in": "query",
        "name": "lang",
        "required": False,
        "description": "the language of texts (en, fr, pt), before Accept-Language; any other is "
        "ignored",
        "schema": {"type": "string"},
        "example": "pt",
    },
    {
        "in": "header",
        "name": "Accept-Language",
        "required": False,
        "description": "the preferred languages of texts",
        "schema": {"type": "string"},
        "example": "fr, en;q=0.5",
    },
)
LOCATION: Final = {"description": "the address of the resource", "schema": {"type": "string"}}
RETRY_AFTER: Final = {
    "description": "seconds to wait before the next request",
    "schema": {"type": "integer"},
}
LINK: Final = {"description": 'the next page, rel="next"', "schema": {"type": "string"}}
IDEMPOTENT_REPLAYED: Final = {
    "description": "true: the request was carried out before; its response is repeated",
    "schema": {"type": "string", "enum": ["true"]},
}
IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "carry the request out only if the game is at this version: an ETag, a list of "
    "them, or *",
    "schema": {"type": "string"},
}
IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "required": False,
    "description": "304 if the game is still at this version",
    "schema": {"type": "string"},
}
IDEMPOTENCY_KEY: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "description": "a unique key for this request: repeated with it, the request takes effect once",
    "schema": {"type": "string", "pattern": '^("[!#-~]{1,255}"|[!#-~]{1,255})$'},
}
PREFER: Final = {
    "in": "header",
    "name": "Prefer",
    "required": False,
    "description": "wait=20: if there is nothing to return, respond when there is, or after this "
    "number of seconds (at most 30)",
    "schema": {"type": "string"},
    "example": "wait=20",
}
PREFERENCE_APPLIED: Final = {
    "description": "wait=20: the request was held until there was something to return, for at most "
    "this number of seconds",
    "schema": {"type": "string"},
}
