#!/usr/bin/env python3
"""Verifies the chance of a finished game's record, with Python's standard library alone.

    python verify_record.py RECORD.json
    curl -s …/v1/games/ID/record | python verify_record.py -

A record shows that no draw was made up, because the seed it reveals has the hash that was published
before the first draw, and every draw follows from that seed, the seats' entropies and the draw's
number. This program was written independently of the service and shares no code with it;
docs/chance.md describes what it does. It knows no game: `bailli verify` also checks each bound.

Compare the printed commitment with the one you saw when the game began: a record that was forged as
a whole is consistent with itself.

    --commitment HEX   fail unless the record's commitment is this one

Exit codes: 0 verified; 1 a number or commitment is wrong; 2 the file is not a complete record.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERIFIED, WRONG, NO_RECORD = 0, 1, 2
MAX_ENTROPY = 64


class Wrong(Exception):
    """Something does not follow from the seed; the text says where and what."""


class NoRecord(Exception):
    """The data is not a record; the text says where."""


def member(value: Any, name: str, kind: type, place: str) -> Any:
    """Returns a member of an object. Raises `NoRecord` if it is missing or of another type."""
    if not isinstance(value, dict):
        raise NoRecord(f"{place or 'the record'} must be an object")
    if name not in value:
        raise NoRecord(f"{place}/{name} is missing")
    if type(value[name]) is not kind:
        raise NoRecord(f"{place}/{name} must be of type {kind.__name__}")
    return value[name]


def hexadecimal(text: Any, place: str, size: int | None = None) -> bytes:
    """Returns the bytes of lower-case hexadecimal text."""
    if not isinstance(text, str) or not re.fullmatch(r"([0-9a-f]{2})*", text):
        raise NoRecord(f"{place} must be hexadecimal")
    raw = bytes.fromhex(text)
    if size is not None and len(raw) != size:
        raise NoRecord(f"{place} must have {size} bytes")
    return raw


def draws(record: Any) -> Iterator[tuple[str, int, int, int]]:
    """Yields place, number, bound and value of each draw, in order. Checks form and numbering."""
    expected = 0
    for number, step in enumerate(member(record, "steps", list, "")):
        for index, draw in enumerate(member(step, "draws", list, f"/steps/{number}")):
            place = f"/steps/{number}/draws/{index}"
            if (
                not isinstance(draw, list)
                or len(draw) != 3
                or any(type(part) is not int for part in draw)
            ):
                raise NoRecord(f"{place} must be three whole numbers")
            i, bound, value = draw
            if i != expected:
                raise Wrong(f"{place}: draw {expected} is due here, not draw {i}")
            if not 1 <= bound <= 2**64:
                raise Wrong(f"{place}: a bound of {bound} is impossible")
            if not 0 <= value < bound:
                raise Wrong(f"{place}: {value} lies outside 0 … {bound - 1}")
            expected += 1
            yield place, i, bound, value


def sealed_value(seed: bytes, prefix: bytes, i: int, bound: int) -> int:
    """Returns the value of draw `i` that follows from the seed."""
    limit = 2**64 // bound * bound
    attempt = 0
    while True:
        message = prefix + i.to_bytes(8, "big") + attempt.to_bytes(4, "big")
        number = int.from_bytes(hmac.new(seed, message, hashlib.sha256).digest()[:8], "big")
        if number < limit:
            return number % bound
        attempt += 1


def check_sealed(record: Any, chance: Any) -> int:
    """Verifies every draw of a game with a seed; returns how many there are."""
    place = "/chance"
    seed = hexadecimal(member(chance, "seed", str, place), f"{place}/seed", 32)
    if hashlib.sha256(seed).hexdigest() != member(chance, "commitment", str, place):
        raise Wrong(f"{place}/commitment is not the SHA-256 of the seed")
    chance_id = member(chance, "id", str, place)
    if not chance_id.isascii() or "\0" in chance_id:
        raise NoRecord(f"{place}/id must be ASCII")
    digest = hashlib.sha256()
    entropies, seats = member(chance, "entropies", list, place), member(record, "seats", list, "")
    if len(entropies) != len(seats):
        raise NoRecord(f"{place}/entropies must have one for each of {len(seats)} seats")
    for seat, text in enumerate(entropies):
        entropy = hexadecimal(text, f"{place}/entropies/{seat}")
        if len(entropy) > MAX_ENTROPY:
            raise NoRecord(f"{place}/entropies/{seat} is longer than {MAX_ENTROPY} bytes")
        digest.update(len(entropy).to_bytes(4, "big") + entropy)
    prefix = chance_id.encode("ascii") + b"\0" + digest.digest()
    count = 0
    for where, i, bound, value in draws(record):
        expected = sealed_value(seed, prefix, i, bound)
        if value != expected:
            raise Wrong(f"{where}: draw {i} of 1 in {bound} gives {expected}, not {value}")
        count += 1
    return count


def check_arranged(record: Any, chance: Any) -> int:
    """Verifies arranged chance as far as that is possible without the rules; counts the draws.

    Checks the commitment, that there are enough outcomes, and that numbers are those arranged.
    """
    place = "/chance"
    bits = hexadecimal(member(chance, "bits", str, place), f"{place}/bits", 32)
    outcomes = member(chance, "outcomes", list, place)
    for index, outcome in enumerate(outcomes):
        if type(outcome) not in (int, str):
            raise NoRecord(f"{place}/outcomes/{index} must be an id or a whole number")
    text = json.dumps(outcomes, separators=(",", ":"), ensure_ascii=False)
    try:
        sealed = bits + text.encode()
    except UnicodeEncodeError:
        raise NoRecord(f"{place}/outcomes must be valid Unicode text") from None
    if hashlib.sha256(sealed).hexdigest() != member(chance, "commitment", str, place):
        raise Wrong(f"{place}/commitment is not the SHA-256 of bits and outcomes")
    count = 0
    for where, i, _bound, value in draws(record):
        if i >= len(outcomes):
            raise Wrong(f"{where}: there is no outcome for draw {i}")
        if type(outcomes[i]) is int and outcomes[i] != value:
            raise Wrong(f"{where}: outcome {i} is {outcomes[i]}, not {value}")
        count += 1
    return count


def branch(record: Any) -> str:
    """Returns text about where a branch comes from; empty for other games.

    Earlier draws belong to another game, and only that game's record verifies them.
    """
    for step in record["steps"][:1]:
        for event in member(step, "events", list, "/steps/0")[:1]:
            data = member(event, "data", dict, "/steps/0/events/0")
            if data.get("forked_from") is not None:
                place = "/steps/0/events/0/data/forked_from"
                game = member(data["forked_from"], "game", str, place)
                version = member(data["forked_from"], "version", int, place)
                return f", from version {version} of game {game} on (draws before that not checked)"
    return ""


def verify(record: Any, commitment: str | None = None) -> str:
    """Returns one line that says what was verified. Raises `Wrong` or `NoRecord`."""
    if member(record, "format", int, "") != 1:
        raise NoRecord("/format: only format 1 is supported")
    chance = member(record, "chance", dict, "")
    kind = member(chance, "kind", str, "/chance")
    if kind not in ("sealed", "arranged"):
        raise NoRecord("/chance/kind must be sealed or arranged")
    published = member(chance, "commitment", str, "/chance")
    if commitment is not None and published != commitment:
        raise Wrong(f"/chance/commitment is {published}, not {commitment}")
    member(record, "final", dict, "")
    ruleset = member(record, "ruleset", dict, "")
    played = (
        f"{member(ruleset, 'id', str, '/ruleset')}, {len(member(record, 'steps', list, ''))} steps"
    )
    played += branch(record)
    if kind == "sealed":
        count = check_sealed(record, chance)
        return f"{played}: all {count} draws follow from the seed with commitment {published}"
    count = check_arranged(record, chance)
    return f"{played}: {count} draws were arranged, with commitment {published}"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object; refuses one with a duplicate member, which could be read in two ways."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise NoRecord("an object has a duplicate member")
    return dict(pairs)


def load(source: str) -> Any:
    """Returns the JSON of a file, or of standard input for "-". Raises `NoRecord`."""
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise NoRecord(f"cannot be read: {error.strerror}") from None
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=unique)
    except UnicodeDecodeError as error:
        raise NoRecord(f"is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise NoRecord(
            f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except (RecursionError, ValueError):
        raise NoRecord("is nested too deeply or contains a number that is too long") from None


def main(arguments: list[str]) -> int:
    """Returns the exit code; prints one line."""
    commitment = None
    if len(arguments) == 3 and arguments[0] == "--commitment":
        commitment = arguments[1].lower()
        arguments = arguments[2:]
    if len(arguments) != 1:
        print("usage: verify_record.py [--commitment HEX] RECORD.json | -", file=sys.stderr)
        return NO_RECORD
    name = "standard input" if arguments[0] == "-" else arguments[0]
    try:
        print(f"verified: {verify(load(arguments[0]), commitment)}")
    except Wrong as error:
        print(f"WRONG: {name}: {error}", file=sys.stderr)
        return WRONG
    except NoRecord as error:
        print(f"not a record: {name}: {error}", file=sys.stderr)
        return NO_RECORD
    return VERIFIED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
