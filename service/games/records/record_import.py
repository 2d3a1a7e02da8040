"""Importing records: judged again from the first command to the result, then a game of its own.

A record that was sent waits in the store beside the id that its game will have, together with the
due work of judging it: a worker that dies loses nothing. The result stays there for a while too.
"""

from __future__ import annotations

import hashlib
import logging
import zlib
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

import orjson

from ...rules.plain import Misshapen
from ...store import Gone
from .. import due_work, index_lists, tokens, tracing
from ..commands.errors import KeyReused, NotVisible
from ..commands.handler import CommandHandler
from ..game import Game
from ..repository import UnknownGame
from .import_reader import ImportTarget, judge_record
from .verification import VerificationFailed

log = logging.getLogger(__name__)

Status = Literal["waiting", "done", "refused"]

WAITING_LIFETIME: Final = 24 * due_work.HOUR
RESULT_LIFETIME: Final = 24 * due_work.HOUR
"""How long (ms) a record waits to be judged, and how long the result is kept."""

LEASE: Final = 150_000
"""For how long (ms) the worker that judges a record has it to itself."""

MAX_ATTEMPTS: Final = 3
"""A record is refused after so many attempts that ended with the worker."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record is refused: a JSON Pointer to the error, and in English what is wrong."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Import:
    """The import of a record: the id of its game, who sent it (a token's hash), how far it is.

    `digest` is the hexadecimal SHA-256 of the record as it was sent; `request` is the id of the
    request that sent it, for logs alone.
    """

    id: str
    client: str
    visibility: str
    digest: str
    status: Status = "waiting"
    attempts: int = 0
    fault: Fault | None = None
    request: str | None = None


def request_import(
    command_handler: CommandHandler, wanted: Import, body: bytes
) -> tuple[Import, bool]:
    """Stores a record for a worker to judge. Returns the import, and whether it existed before.

    Raises `KeyReused` where the id belongs to another request, and as the store does.
    """
    store = command_handler.store
    game = _load_game(command_handler, wanted.id)
    if game is None:
        now = store.now()
        packed = _pack(replace(wanted, request=tracing.current_request()), body)
        if store.put_temporary(
            wanted.id,
            packed,
            WAITING_LIFETIME,
            only_if_absent=True,
            kind=due_work.IMPORT,
            due_at=now,
        ):
            return wanted, False
        held = store.get_temporary(wanted.id)
        known = None if held is None else _unpack(held)[0]
    else:
        known = _import_of(game)
    if known is None or _request_facts(known) != _request_facts(wanted):
        raise KeyReused
    return known, True


def get_import(command_handler: CommandHandler, import_id: str, caller: str) -> Import:
    """Returns how far an import is. Raises `NotVisible` for all but who sent the record."""
    held = command_handler.store.get_temporary(import_id)
    if held is None:
        game = _load_game(command_handler, import_id)
        known = None if game is None else _import_of(game)
    else:
        known = _unpack(held)[0]
    if known is None or not tokens.same_hash(known.client, caller):
        raise NotVisible(import_id)
    return known


def run_import(
    command_handler: CommandHandler, import_id: str, archive: int | None = None
) -> Import | None:
    """Judges a waiting record and creates its game, whose archiving is due `archive` ms later.

    Returns the import with its result; None where nothing waits. Raises as the store does.
    """
    store = command_handler.store
    held = store.get_temporary(import_id)
    if held is None:
        store.set_due(import_id, due_work.IMPORT, None)
        return None
    wanted, body = _unpack(held)
    if wanted.status != "waiting":
        store.set_due(import_id, due_work.IMPORT, None)
        return None
    tracing.note(request=wanted.request)
    now = store.now()
    wanted = replace(wanted, attempts=wanted.attempts + 1)
    if wanted.attempts > MAX_ATTEMPTS:
        return _store_result(
            command_handler, wanted, Fault("", "could not be judged in the time available")
        )
    store.put_temporary(
        import_id, _pack(wanted, body), WAITING_LIFETIME, kind=due_work.IMPORT, due_at=now + LEASE
    )
    try:
        game, entries = judge_record(_target(wanted), body, now)
    except (Misshapen, VerificationFailed) as fault:
        return _store_result(command_handler, wanted, Fault(fault.pointer, fault.detail))
    except Exception:  # whatever a record breaks, it is refused
        log.exception("the record of import %s could not be judged", import_id)
        return _store_result(command_handler, wanted, Fault("", "could not be judged"))
    try:
        placed = store.import_stream(import_id, entries, index_lists.restoration(game))
    except Gone:
        placed = True  # its host has deleted it already
    if placed and archive is not None:
        store.set_due(import_id, due_work.ARCHIVE, now + archive)
    present = None if placed else _import_of(command_handler.repository.load(import_id).game)
    if not placed and (present is None or _request_facts(present) != _request_facts(wanted)):
        return _store_result(
            command_handler, wanted, Fault("", "another game was created with this key")
        )
    return _store_result(command_handler, wanted, None)


def _store_result(command_handler: CommandHandler, wanted: Import, fault: Fault | None) -> Import:
    found = replace(wanted, status="done" if fault is None else "refused", fault=fault)
    command_handler.store.put_temporary(
        wanted.id, _pack(found, b""), RESULT_LIFETIME, kind=due_work.IMPORT
    )
    return found


def _load_game(command_handler: CommandHandler, game_id: str) -> Game | None:
    try:
        return command_handler.repository.load(game_id).game
    except UnknownGame:
        return None


def _import_of(game: Game) -> Import | None:
    """Returns the import that a game came from; None for a game that was created here."""
    created = game.table.created
    if created.imported is None:
        return None
    digest = created.imported.digest
    return Import(game.id, created.host, created.visibility, digest, "done")


def _request_facts(wanted: Import) -> tuple[str, ...]:
    """Returns what makes two imports the same request."""
    return wanted.id, wanted.client, wanted.visibility, wanted.digest


def _target(wanted: Import) -> ImportTarget:
    return ImportTarget(wanted.id, wanted.client, wanted.visibility, wanted.digest)


def _pack(wanted: Import, body: bytes) -> bytes:
    return orjson.dumps(asdict(wanted)) + b"\n" + zlib.compress(body)


def _unpack(held: bytes) -> tuple[Import, bytes]:
    head, _, body = held.partition(b"\n")
    members = orjson.loads(head)
    fault = None if members["fault"] is None else Fault(**members["fault"])
    return Import(**{**members, "fault": fault}), zlib.decompress(body)


def record_digest(body: bytes) -> str:
    """Returns the hexadecimal SHA-256 of a record as it was sent."""
    return hashlib.sha256(body).hexdigest()
