"""The hash chain: each entry's hash covers the one before it."""

from __future__ import annotations

import hashlib

from .values import Entry

GENESIS_HASH = bytes(32)
"""The hash before the first entry."""


def chain_entry(previous: bytes, type: str, schema: int, data: bytes, meta: bytes) -> Entry:
    """Returns the entry with its hash: SHA-256 over the previous hash and each field, each field

    after its length in 4 bytes, big-endian.
    """
    digest = hashlib.sha256(previous)
    for part in (type.encode(), str(schema).encode(), data, meta):
        digest.update(len(part).to_bytes(4, "big"))
        digest.update(part)
    return Entry(type, schema, data, meta, digest.digest())
