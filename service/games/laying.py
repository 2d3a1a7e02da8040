"""How a table is laid: its first event, from what a host asked for, and the codes it makes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..rules import plain
from ..rules.chance import (
    SEED_BYTES,
    ArrangedChance,
    Chance,
    NoChance,
    arranged_commitment,
    commitment,
)
from ..rules.plain import Command, Misshapen
from ..rules.ruleset import start
from . import access, deadlines
from . import table as tables
from .access import Token
from .asked import Creation, Request, Written
from .commands import HandOver
from .events import GameCreated, SeatClaimed, SeatHandedOver
from .game import Game
from .table import Party


def created(creation: Creation, token: Token, game_id: str, patience: int) -> GameCreated:
    """Returns the event that lays a table. `patience` (ms) is how long its people have to move.

    Raises `Misshapen` where options, seats and chance do not fit together.
    """
    ruleset, outcomes = creation.ruleset, creation.outcomes
    chance: Chance = NoChance() if outcomes is None else ArrangedChance(outcomes)
    try:
        _, outcome = start(ruleset, len(creation.seats), creation.options, chance)
    except Misshapen as fault:
        if fault.pointer.removeprefix("/").isdigit():
            raise Misshapen(f"/chance/outcomes{fault.pointer}", fault.detail) from None
        raise
    bits = creation.bits or secrets.token_bytes(SEED_BYTES)
    if outcomes is None:
        sealed: dict[str, Any] = {"seed": bits.hex()}
        committed = commitment(bits)
    else:
        if outcome.stopped:
            raise Misshapen("/chance/outcomes", "is used up before the set-up ends")
        sealed = {"bits": bits.hex(), "outcomes": list(outcomes)}
        committed = arranged_commitment(bits, outcomes)
    private = creation.visibility == "private"
    return GameCreated(
        game=game_id,
        ruleset=ruleset.id,
        law=ruleset.version,
        options=plain.dump(creation.options),
        seats=creation.seats,
        visibility=creation.visibility,
        start=creation.start,
        chance="sealed" if outcomes is None else "arranged",
        chance_id=game_id if creation.tournament is None else creation.tournament.id,
        commitment=committed,
        patience=patience,
        sealed_chance=sealed,
        host=token.hash,
        watch=access.hashed(access.watch_code(token, game_id)) if private else None,
        claims=tuple(
            access.hashed(access.claim_code(token, game_id, number, 0))
            if seat.kind == "human"
            else None
            for number, seat in enumerate(creation.seats)
        ),
        deadline=None
        if creation.deadline is None
        else deadlines.checked(creation.deadline, ruleset.passes),
        bot_delay=creation.bot_delay,
        forked_from=creation.forked_from,
        rematch_of=creation.rematch_of,
        tournament=creation.tournament,
        advice=creation.advice,
    )


def asked_for(created: GameCreated) -> tuple[Any, ...]:
    """Returns what a creation's client asked for, in a form that can be compared."""
    return (
        created.ruleset,
        created.options,
        created.seats,
        created.visibility,
        created.start,
        created.sealed_chance.get("outcomes"),
        created.deadline,
        created.bot_delay,
        created.forked_from,
        created.rematch_of,
        created.advice,
    )


def next_code(game: Game, party: Party, commands: Sequence[Command], request: Request) -> str:
    """Returns the hash of the claim code that handing the party's seat over makes, if it does."""
    if request.token is None or party.seat is None or not isinstance(commands[0], HandOver):
        return tables.NO_CODE
    number = game.table.hand_overs + 1
    return access.hashed(access.claim_code(request.token, game.id, party.seat, number))


def with_codes(written: Written, token: Token) -> Written:
    """Names the codes that the append made; they follow from the token, so a repetition can too."""
    codes: dict[int, str] = {}
    watch = None
    for event in (line.event for line in written.events):
        if isinstance(event, GameCreated):
            if not access.same(event.host, token.hash):
                continue  # somebody else's table, asked for again
            codes = {
                seat: access.claim_code(token, event.game, seat, 0)
                for seat, claim in enumerate(event.claims)
                if claim is not None
            }
            watch = None if event.watch is None else access.watch_code(token, event.game)
        elif isinstance(event, SeatClaimed):
            codes.pop(event.seat, None)
        elif isinstance(event, SeatHandedOver):
            code = access.claim_code(token, written.game.id, event.seat, event.number)
            codes[event.seat] = code
    return replace(written, codes=codes, watch=watch) if codes or watch else written
