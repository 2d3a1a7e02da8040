"""Commands: what clients and the service itself do to games, each method one request.

Methods say how a request is judged (`verdicts`); `conflict_retry` appends what follows from it,
`idempotency` replays what was committed before. Requests and results are in `requests` and
`results`, errors in `errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import orjson

from ...rules.described import Command
from ...store import Gone, Store
from .. import authorization, due_work, index_lists, tokens, tracing
from ..bot_game_quota import BotGameQuota
from ..codec import Replaced
from ..game import Game, new_game
from ..history import recorded_events
from ..repository import Repository
from ..table import state as table_state
from ..table.events import TokenReplaced
from ..table.state import Actor
from ..tokens import Token
from ..webhooks import model as webhook_model
from . import creation as game_creation
from . import idempotent_replay, verdicts
from .conflict_retry import MAX_ATTEMPTS, ConflictRetry, Judge
from .errors import Busy, Forbidden, NotVisible, Stale
from .requests import Creation, RequestContext, game_id_for
from .results import Committed, DryRun
from .verdicts import Verdict


class CommandHandler:
    """Carries requests out. Stateless but for the repository's cache; safe to share."""

    def __init__(
        self,
        store: Store,
        repository: Repository,
        life: due_work.Lifetimes | None = None,
        patience: int = 24 * due_work.HOUR,
        quota: BotGameQuota | None = None,
    ) -> None:
        """`patience` (ms): after how long a seat that keeps the game waiting counts as idle."""
        self.store = store
        self.repository = repository
        self._patience = patience
        self._writer = ConflictRetry(store, repository, life or due_work.Lifetimes())
        self.bot_game_quota = quota or BotGameQuota(store, repository)

    # Requests of clients

    def create(self, creation: Creation, token: Token, request: RequestContext) -> Committed:
        """Creates a game, or replays its creation.

        Raises `Misshapen` where options, seats and chance do not fit together, `KeyReused`,
        `TooManyBotGames`, and as the store does.
        """
        game_id = creation.id or game_id_for(token, request.key)
        created = game_creation.creation_event(creation, token, game_id, self._patience)
        replayed = idempotent_replay.replay_creation(
            self.store, self.repository, created, request, shared_id=creation.id is not None
        )
        if replayed is not None:
            return idempotent_replay.with_codes(replayed, token)
        bots_only = index_lists.all_bots(created.seats)
        if bots_only and creation.tournament is None:
            self.bot_game_quota.check(token.hash, request.origin)
        now = self.store.now()
        game = new_game(created, now)
        verdict = verdicts.judge_creation(game, [created, *creation.opening])
        committed = self._writer.append(None, game, verdict, now, request)
        if committed is None:  # the same request was faster
            return self.create(creation, token, request)
        if bots_only:
            self.bot_game_quota.note(game_id, request.origin)
        return idempotent_replay.with_codes(committed, token)

    def claim(
        self, game_id: str, seat: int, code: str, name: str, entropy: str, request: RequestContext
    ) -> Committed:
        """Takes an open seat for the request's token.

        Raises `RuleViolation`, `NotVisible` for an unknown seat or a private game without the right
        code, and as `send` does.
        """
        code_hash = tokens.hash_secret(code)
        caller = request.caller or ""

        def judge(game: Game, now: int) -> Verdict:
            seats = game.table.seats
            if not 0 <= seat < len(seats):
                raise NotVisible(game_id)
            opened = tokens.same_hash(seats[seat].claim, code_hash)
            if not opened and not authorization.may_read(game.table, caller):
                raise NotVisible(game_id)
            return verdicts.judge_claim(game, seat, code_hash, name, entropy, caller)

        return self._writer.commit(game_id, judge, request)

    def send(
        self, game_id: str, seat: int | None, commands: Sequence[Command], request: RequestContext
    ) -> Committed:
        """Carries out one command, or a batch of game commands, all or none.

        Raises `RuleViolation`, `Stale`, `Busy`, `KeyReused`, `Forbidden`, `NotVisible`, and as the
        repository and the store do.
        """

        def judge(game: Game, now: int) -> Verdict:
            actor = _authorized_actor(game, seat, commands, request.caller)
            tracing.note(seat=actor.seat)
            code_hash = game_creation.next_claim_code_hash(game, actor, commands, request)
            return verdicts.judge_commands(
                game,
                actor,
                commands,
                now,
                claim_code_hash=code_hash,
                state_at=self._states_of(game_id),
            )

        committed = self._writer.commit(game_id, judge, request)
        if request.token is None:
            return committed
        return idempotent_replay.with_codes(committed, request.token)

    def dry_run(
        self, game_id: str, seat: int | None, commands: Sequence[Command], request: RequestContext
    ) -> DryRun:
        """Judges like `send`, with a chance that stops at the first draw.

        Writes nothing, reveals nothing sealed, and ignores the request's key.
        """
        loaded = self.repository.load(game_id)
        game = loaded.game.clone()
        actor = _authorized_actor(game, seat, commands, request.caller)
        if request.condition is not None and not request.condition(game):
            raise Stale(loaded.game)
        code_hash = game_creation.next_claim_code_hash(game, actor, commands, request)
        verdict = verdicts.judge_commands(
            game,
            actor,
            commands,
            loaded.now,
            claim_code_hash=code_hash,
            state_at=self._states_of(game_id),
            dry=True,
        )
        events = tuple(
            replace(line, event=authorization.without_revelations(line.event))
            for line in recorded_events(verdict.steps, loaded.game.version, loaded.now)
        )
        return DryRun(events, verdict.stopped is not None)

    def delete(self, game_id: str, request: RequestContext) -> None:
        """Deletes the game for good. Raises `Forbidden` for all but the host, and as `send`."""
        for _ in range(MAX_ATTEMPTS):
            game = self.repository.load(game_id).game
            if not authorization.may_read(game.table, request.caller):
                raise NotVisible(game_id)
            if not authorization.is_host(game.table, request.caller):
                raise Forbidden("only the host may delete a game")
            if request.condition is not None and not request.condition(game):
                raise Stale(game)
            fact = orjson.dumps({"version": game.version})
            unlisted = index_lists.removal(game)
            try:
                if self.store.remove_stream(
                    game_id, game.version, "deleted", fact, unlisted, due_work.KINDS
                ):
                    self.repository.evict(game_id)
                    return
            except Gone as gone:
                if gone.reason != "archived":
                    raise
                self.repository.restore_archived(game_id)
        raise Busy

    def rotate_token(self, old: Token, new: Token) -> int:
        """Replaces a token in all its games and webhooks. Returns in how many games; repeatable."""
        changed = 0
        while games := self.store.list_by_client(old.hash, 100):
            for listed in games:
                webhook_model.transfer_webhooks(self.store, listed.game, old.hash, new.hash)
                with tracing.restored(tracing.current_facts()):  # each game has its own facts
                    self._writer.commit(listed.game, _judge_rotation(old, new), RequestContext(old))
                changed += 1
        return changed

    def _states_of(self, game_id: str) -> Callable[[int], Game]:
        return lambda version: self.repository.load_version(game_id, version)

    # What the service does by itself; each raises `Stale` when the game has moved on

    def play_bot(
        self,
        seat: int,
        command: Command,
        game: Game,
        sent_by: str,
        bot_lease: int = 0,
        replaced: Replaced | None = None,
    ) -> Committed:
        """Sends a bot's command for exactly the state it was chosen on.

        For `bot_lease` (ms) the caller plays on by itself where bots must act again: until then no
        such work is due. Raises `RuleViolation` as the rules do.
        """
        tracing.note(seat=seat)
        request = replace(_service_context(sent_by, game), bot_lease=bot_lease, replaced=replaced)
        return self._writer.commit(
            game.id, lambda newest, now: verdicts.judge_bot_command(newest, seat, command), request
        )

    def append_result(self, game: Game, sent_by: str) -> Committed:
        """Appends the result of a game whose play has ended."""
        return self._writer.commit(
            game.id,
            lambda newest, now: verdicts.judge_scoring(newest),
            _service_context(sent_by, game),
        )

    def expire_seat(self, game: Game, seat: int, sent_by: str) -> Committed:
        """Carries out what the table chose for a seat whose time has run out (T-8).

        Whoever appends first wins. Raises `RuleViolation` where by the store's clock the seat still
        has time.
        """
        return self._writer.commit(
            game.id,
            lambda newest, now: verdicts.judge_expiry(newest, seat, now),
            _service_context(sent_by, game),
        )

    def reveal_chance(self, game: Game, sent_by: str) -> Committed:
        """Reveals the chance of a table whose tournament is over (T-14)."""
        return self._writer.commit(
            game.id,
            lambda newest, now: verdicts.judge_reveal(newest),
            _service_context(sent_by, game),
        )

    def abandon(self, game: Game, reason: str, sent_by: str) -> Committed:
        """Ends a game without a winner for a reason: "idle" or "expired" (T-3)."""
        return self._writer.commit(
            game.id,
            lambda newest, now: verdicts.judge_abandonment(newest, reason),
            _service_context(sent_by, game),
        )


def _service_context(sent_by: str, game: Game) -> RequestContext:
    """Returns the context of a request of the service's own that holds for this state alone."""
    return RequestContext(None, sent_by=sent_by, condition=lambda newest: newest.hash == game.hash)


def _authorized_actor(
    game: Game, seat: int | None, commands: Sequence[Command], caller: str | None
) -> Actor:
    """Returns whom the caller acts as. Raises `NotVisible` or `Forbidden`."""
    if not authorization.may_read(game.table, caller):
        raise NotVisible(game.id)
    actor = authorization.actor_for(
        game.table, caller, seat, hosting=isinstance(commands[0], table_state.HOST_COMMANDS)
    )
    if actor is None or (seat is not None and not 0 <= seat < len(game.table.seats)):
        raise Forbidden("the token holds no such seat")
    return actor


def _judge_rotation(old: Token, new: Token) -> Judge:
    event = TokenReplaced(old.hash, new.hash)
    return lambda game, now: verdicts.apply_table_event(game, event)
