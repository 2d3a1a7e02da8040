"""Clients that play a seat through all faults and remember what was acknowledged."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from service.games.codec import decode_meta
from service.games.commands.errors import Busy
from service.games.commands.requests import RequestContext
from service.games.table import state as table_state
from service.games.tokens import Token, claim_code, new_token
from service.rules.described import dump_command
from service.store import OutcomeUnknown, Unavailable
from workers.context import WorkerContext

AWAY = (Unavailable, OutcomeUnknown, Busy)


def patiently(ask: Any, *arguments: Any) -> Any:
    """Asks again while the store is away."""
    while True:
        try:
            return ask(*arguments)
        except AWAY:
            time.sleep(0.05)


@dataclass
class Person:
    """Somebody with a seat. `acknowledged` are the commands that were answered with success."""

    context: WorkerContext
    game: str
    seat: int
    generator: random.Random
    token: Token = field(default_factory=new_token)
    acknowledged: list[dict[str, Any]] = field(default_factory=list)
    fault: BaseException | None = None

    def sit(self, host: Token) -> None:
        """Claims the seat."""
        code = claim_code(host, self.game, self.seat, 0)
        request = RequestContext(self.token, key="claim")
        claim = self.context.command_handler.claim
        patiently(claim, self.game, self.seat, code, f"person {self.seat}", "", request)

    def play(self) -> threading.Thread:
        """Plays until the game is over, in a thread."""
        thread = threading.Thread(target=self._play)
        thread.start()
        return thread

    def _play(self) -> None:
        try:
            while self._turn():
                pass
        except BaseException as fault:
            self.fault = fault

    def _turn(self) -> bool:
        command_handler = self.context.command_handler
        game = patiently(command_handler.repository.load, self.game).game
        if game.table.status != table_state.PLAYING:
            return False
        if self.seat not in game.to_act():
            time.sleep(0.01)
            return True
        command = self.generator.choice(game.ruleset.legal(game.state, self.seat))
        request = RequestContext(self.token, key=f"move {len(self.acknowledged)}", fingerprint="x")
        patiently(command_handler.send, self.game, self.seat, [command], request)
        self.acknowledged.append(dump_command(command))
        return True

    def recorded(self) -> list[dict[str, Any]]:
        """The seat's commands as the stream has them."""
        entries = patiently(
            self.context.command_handler.repository.read_entries, self.game, 1, 100_000
        )
        metas = [decode_meta(entry) for entry in entries]
        return [
            step.command
            for meta in metas
            if meta is not None
            for step in meta.steps
            if step.seat == self.seat and step.command is not None
        ]
