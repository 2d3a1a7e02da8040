"""Appends for tests, made of words."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path

from redis import Redis

from service.store import (
    GENESIS_HASH,
    Append,
    Entry,
    IdempotencyKey,
    IndexChange,
    Store,
    chain_entry,
)
from service.store.embedded import EmbeddedServer


def entries(previous: bytes, *words: str, name: str | None = None) -> tuple[Entry, ...]:
    """Returns chained entries of these types; `name` makes the append unique (random if None)."""
    made: list[Entry] = []
    meta = (name or secrets.token_hex(8)).encode()
    for word in words:
        made.append(chain_entry(previous, word, 1, b'{"word":"%s"}' % word.encode(), meta))
        previous, meta = made[-1].hash, b""
    return tuple(made)


def append_after(
    store: Store,
    game: str,
    *words: str,
    key: IdempotencyKey | None = None,
    due: Mapping[str, int | None] | None = None,
    index: IndexChange | None = None,
) -> Append:
    """Returns an append that fits the stream as it is."""
    stream = store.read(game).entries
    head = stream[-1].hash if stream else GENESIS_HASH
    made = entries(head, *words)
    return Append(game, len(stream), head, made, key, due or {}, index)


def full(game: str, store: Store) -> Append:
    """Returns an append of two entries that writes every kind of key."""
    index = IndexChange(5, None, "open", ("c1",))
    return append_after(
        store, game, "one", "two", key=IdempotencyKey("k", "b"), due={"bot": 1}, index=index
    )


def words(store: Store, game: str) -> list[str]:
    """Returns the types in a stream."""
    return [entry.type for entry in store.read(game).entries]


def kept(client: Redis) -> dict[bytes, bytes]:
    """Returns all that the server holds, byte by byte."""
    return {key: client.dump(key) for key in client.keys("*")}


def port(server: EmbeddedServer) -> int:
    """Returns the port that a server listens on."""
    return int(server.url.split(":")[2].split("/")[0])


def tls(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Returns a fresh certificate of this machine, and the options of a server that shows it."""
    certificate, secret = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", str(secret), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, (
        *("--tls-cert-file", str(certificate), "--tls-key-file", str(secret)),
        *("--tls-ca-cert-file", str(certificate), "--tls-auth-clients", "no"),
    )
