"""Creating a game: its first event, from what the host asked for; claim codes handed over."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from ...rules import described
from ...rules.chance import (
    SEED_BYTES,
    ArrangedChance,
    Chance,
    NoChance,
    arranged_commitment,
    commitment,
)
from ...rules.described import Command
from ...rules.plain import Misshapen
from ...rules.ruleset import start
from .. import tokens
from ..game import Game
from ..table import clocks as table_clocks
from ..table import state as table_state
from ..table.commands import HandOver
from ..table.events import GameCreated
from ..table.state import Actor
from ..tokens import Token
from .requests import Creation, RequestContext


def creation_event(creation: Creation, token: Token, game_id: str, patience: int) -> GameCreated:
    """Returns the event that creates a game. `patience` (ms): when a waiting seat counts as idle.

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
        options=described.dump(creation.options),
        seats=creation.seats,
        visibility=creation.visibility,
        start=creation.start,
        chance="sealed" if outcomes is None else "arranged",
        chance_id=game_id if creation.tournament is None else creation.tournament.id,
        commitment=committed,
        patience=patience,
        sealed_chance=sealed,
        host=token.hash,
        watch=tokens.hash_secret(tokens.watch_code(token, game_id)) if private else None,
        claims=tuple(
            tokens.hash_secret(tokens.claim_code(token, game_id, number, 0))
            if seat.kind == "human"
            else None
            for number, seat in enumerate(creation.seats)
        ),
        deadline=None
        if creation.deadline is None
        else table_clocks.validate_deadline(creation.deadline, ruleset.passes),
        bot_delay=creation.bot_delay,
        forked_from=creation.forked_from,
        rematch_of=creation.rematch_of,
        tournament=creation.tournament,
        advice=creation.advice,
    )


def next_claim_code_hash(
    game: Game, actor: Actor, commands: Sequence[Command], request: RequestContext
) -> str:
    """Returns the hash of the claim code that `hand_over` makes; `NO_HASH` for other commands."""
    if request.token is None or actor.seat is None or not isinstance(commands[0], HandOver):
        return table_state.NO_HASH
    number = game.table.hand_over_count + 1
    return tokens.hash_secret(tokens.claim_code(request.token, game.id, actor.seat, number))
