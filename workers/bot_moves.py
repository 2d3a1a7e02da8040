"""Bots' moves in a game: a level chooses commands, they are sent; where it fails, the next lower

level moves in its place.
"""

from __future__ import annotations

import logging
from typing import Final

from service.bot_levels import LEVELS, levels_down_from
from service.games.codec import Replaced
from service.games.commands.errors import CommandError
from service.games.commands.results import Committed
from service.games.game import Game
from service.rules.described import Command
from service.store import StoreError

from . import bot_sandbox
from .bot_sandbox import BotError, BotFailed
from .context import WorkerContext
from .metrics import BOT_MOVES_REPLACED

log = logging.getLogger(__name__)

LEASE: Final = 5_000
"""For how long (ms) quick work belongs to the worker that took it."""


class _LevelFailed(Exception):
    """A level failed: the game as it is then, and the reason."""

    def __init__(self, game: Game, reason: str) -> None:
        super().__init__(reason)
        self.game = game
        self.reason = reason


def play_move(
    context: WorkerContext,
    game: Game,
    seat: int,
    *,
    may_continue: bool = True,
    in_child: bool = False,
) -> Committed:
    """Lets the bot that plays a seat move: one command, or several in a row that it chose together;

    never more than one at a table with a delay between moves. Where its level fails or overruns its
    limits, the next lower one moves for it, and the record says so.

    `may_continue`: the caller plays on by itself where bots must act again. `in_child`: the bot
    runs in a child process, whatever its level. Returns the last command's result. Raises `Stale`
    when the game has moved on, and `BotFailed` where the lowest level failed too.
    """
    own_level = game.table.seats[seat].level or LEVELS[0]
    reason: str | None = None
    for level in levels_down_from(own_level):
        replaced = None if reason is None else Replaced(own_level, level, reason)
        attempt = _Attempt(context, seat, level, replaced, may_continue, in_child)
        try:
            committed = attempt.play(game)
        except _LevelFailed as failure:
            game, reason = failure.game, reason or failure.reason
        else:
            if replaced is not None:
                BOT_MOVES_REPLACED.labels(own_level, replaced.reason).inc()
            return committed
    raise BotFailed(f"no level moves for seat {seat} of game {game.id}")


class _Attempt:
    """One level's attempt to move for a seat; see `play_move`."""

    def __init__(
        self,
        context: WorkerContext,
        seat: int,
        level: str,
        replaced: Replaced | None,
        may_continue: bool,
        in_child: bool,
    ) -> None:
        self._context, self._seat, self._level = context, seat, level
        self._replaced, self._may_continue, self._in_child = replaced, may_continue, in_child

    def play(self, game: Game) -> Committed:
        """Returns the last command's result. Raises `_LevelFailed`, and as the write path does."""
        committed: Committed | None = None
        try:
            line = self._choose_line(game)
            for remaining in reversed(range(len(line))):
                bot_lease = LEASE if remaining or self._may_continue else 0
                committed = self._send(game, line[-1 - remaining], bot_lease)
                game = committed.game
        except BotError as error:
            log.error("%s %s in game %s: %s", self._level, error.reason, game.id, error)
            if committed is None or self._seat in game.to_act():
                raise _LevelFailed(game, error.reason) from error
        assert committed is not None  # noqa: S101 - a line has a command
        return committed

    def _choose_line(self, game: Game) -> tuple[Command, ...]:
        line = bot_sandbox.choose_line(
            game.ruleset,
            game.state,
            self._seat,
            self._level,
            self._context.generator,
            in_child=self._in_child,
        )
        return line[:1] if game.table.created.bot_delay else line

    def _send(self, game: Game, command: Command, bot_lease: int) -> Committed:
        try:
            return self._context.command_handler.play_bot(
                self._seat, command, game, self._level, bot_lease=bot_lease, replaced=self._replaced
            )
        except (CommandError, StoreError):
            raise
        except Exception as error:  # whatever a bot sends, the game goes on
            raise BotFailed(f"{command} is no move: {error!r}") from error
