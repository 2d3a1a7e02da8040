"""What bots do in a game: a level thinks, its commands are sent, and where it comes to nothing the

next lower level moves in its place.
"""

from __future__ import annotations

import logging
from typing import Final

from service.games.codec import Replaced
from service.games.commands.errors import CommandError
from service.games.commands.results import Committed
from service.games.game import Game
from service.levels import LEVELS, levels_down_from
from service.rules.described import Command
from service.store import StoreError

from . import sandbox
from .context import WorkerContext
from .metrics import REPLACED
from .sandbox import BotFailed, BotFault

log = logging.getLogger(__name__)

LEASE: Final = 5_000
"""How long (ms) quick work is left to the worker that took it."""


class _Stuck(Exception):
    """A level came to nothing: how far the game is then, and why."""

    def __init__(self, game: Game, reason: str) -> None:
        super().__init__(reason)
        self.game = game
        self.reason = reason


def play_move(
    context: WorkerContext, game: Game, seat: int, *, further: bool = True, apart: bool = False
) -> Committed:
    """Lets the bot that plays a seat move: one command, or several in a row that it thought out

    together; never more than one at a table with a delay between them. Where its level fails or
    overruns, the next lower one moves for it, and the record says so.

    `further`: the caller goes on by itself where bots must act again. `apart`: the bot thinks in a
    process of its own, whatever its level. Raises `Stale` when the game has moved on, and `Failed`
    where the lowest level came to nothing too.
    """
    own = game.table.seats[seat].level or LEVELS[0]
    reason: str | None = None
    for level in levels_down_from(own):
        replaced = None if reason is None else Replaced(own, level, reason)
        turn = _Attempt(context, seat, level, replaced, further, apart)
        try:
            written = turn.made(game)
        except _Stuck as stuck:
            game, reason = stuck.game, reason or stuck.reason
        else:
            if replaced is not None:
                REPLACED.labels(own, replaced.reason).inc()
            return written
    raise BotFailed(f"no level moves for seat {seat} of game {game.id}")


class _Attempt:
    """A level's try to move for a seat, as it stands in `move`."""

    def __init__(
        self,
        context: WorkerContext,
        seat: int,
        level: str,
        replaced: Replaced | None,
        further: bool,
        apart: bool,
    ) -> None:
        self._house, self._seat, self._level = context, seat, level
        self._replaced, self._further, self._apart = replaced, further, apart

    def made(self, game: Game) -> Committed:
        """Returns what the last command came to. Raises `_Stuck`, and as the write path does."""
        written: Committed | None = None
        try:
            line = self._thought(game)
            for left in reversed(range(len(line))):
                bot_lease = LEASE if left or self._further else 0
                written = self._sent(game, line[-1 - left], bot_lease)
                game = written.game
        except BotFault as fault:
            log.error("%s %s in game %s: %s", self._level, fault.reason, game.id, fault)
            if written is None or self._seat in game.to_act():
                raise _Stuck(game, fault.reason) from fault
        assert written is not None  # noqa: S101 - a line has a command
        return written

    def _thought(self, game: Game) -> tuple[Command, ...]:
        line = sandbox.think_line(
            game.ruleset,
            game.state,
            self._seat,
            self._level,
            self._house.generator,
            apart=self._apart,
        )
        return line[:1] if game.table.created.bot_delay else line

    def _sent(self, game: Game, command: Command, bot_lease: int) -> Committed:
        try:
            return self._house.command_handler.play_bot(
                self._seat, command, game, self._level, bot_lease=bot_lease, replaced=self._replaced
            )
        except (CommandError, StoreError):
            raise
        except Exception as fault:  # whatever a bot sends, the game goes on
            raise BotFailed(f"{command} is no move: {fault!r}") from fault
