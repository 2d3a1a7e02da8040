"""The one write path: judge the newest state on a clone, append, keep the clone.

What is asked of it, and what it raises, is in `asked`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

import orjson

from ...rules.plain import Command
from ...rules.ruleset import RuleViolation
from ...store.hash_chain import GENESIS_HASH
from ...store.outcome import append_resolving
from ...store.protocol import Append, Appended, Gone, KeyUse, Store
from .. import authorization, due_work, index_lists, tokens, tracing
from ..bot_game_quota import BotGameQuota
from ..codec import Replaced, StepFact, decode_meta, encode
from ..game import Game, fold, new_game
from ..history import load_events, recorded_events
from ..repository import Repository, UnknownGame
from ..table import state as table_state
from ..table.events import GameCreated, TokenReplaced
from ..table.state import Actor
from ..tokens import Token
from ..webhooks import model as webhook_model
from . import creation as game_creation
from . import verdicts
from .errors import Busy, CommandError, Forbidden, KeyReused, NotVisible, Stale
from .requests import Creation, RequestContext, game_id_for
from .results import Committed, DryRun
from .verdicts import Verdict

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 9
"""How often a command without a condition is judged before the answer is Busy."""


class CommandHandler:
    """Carries requests out. Stateless but for the repository's cache; safe to share."""

    def __init__(
        self,
        store: Store,
        repository: Repository,
        life: due_work.Lifetimes | None = None,
        patience: int = 24 * due_work.HOUR,
        limits: BotGameQuota | None = None,
    ) -> None:
        self.store = store
        self.repository = repository
        self._life = life or due_work.Lifetimes()
        self._patience = patience
        self.bot_game_quota = limits or BotGameQuota(store, repository)

    # What clients ask

    def create(self, creation: Creation, token: Token, request: RequestContext) -> Committed:
        """Lays a table. Raises `Misshapen` where options, seats and chance do not fit together,

        `KeyReused`, `Crowded` where too many games of bots alone run, or as the store does.
        """
        game_id = creation.id or game_id_for(token, request.key)
        created = game_creation.creation_event(creation, token, game_id, self._patience)
        laid_before = self._laid_before(created, request, shared=creation.id is not None)
        if laid_before is not None:
            return game_creation.with_codes(laid_before, token)
        if index_lists.all_bots(created.seats) and creation.tournament is None:
            self.bot_game_quota.check(token.hash, request.origin)
        now = self.store.now()
        game = new_game(created, now)
        judged = verdicts.judge_creation(game, [created, *creation.opening])
        written = self._append(None, game, judged, now, request)
        if written is None:
            return self.create(creation, token, request)
        if index_lists.all_bots(created.seats):
            self.bot_game_quota.note(game_id, request.origin)
        return game_creation.with_codes(written, token)

    def claim(
        self, game_id: str, seat: int, code: str, name: str, entropy: str, request: RequestContext
    ) -> Committed:
        """Takes an open seat for the request's token. Raises `RuleViolation`, `Hidden` for an

        unknown seat or a private game without the right code, and as `send` does.
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

        return self._write(game_id, judge, request)

    def send(
        self, game_id: str, seat: int | None, commands: Sequence[Command], request: RequestContext
    ) -> Committed:
        """Carries out one command, or a batch of game commands, all or none.

        Raises `RuleViolation`, `Stale`, `Busy`, `KeyReused`, `Forbidden`, `Hidden`, and as the
        repository and the store do.
        """

        def judge(game: Game, now: int) -> Verdict:
            party = _actor(game, seat, commands, request.caller)
            tracing.note(seat=party.seat)
            code = game_creation.next_claim_code_hash(game, party, commands, request)
            return verdicts.judge_commands(game, party, commands, now, code=code)

        written = self._write(game_id, judge, request)
        return (
            written if request.token is None else game_creation.with_codes(written, request.token)
        )

    def dry_run(
        self, game_id: str, seat: int | None, commands: Sequence[Command], request: RequestContext
    ) -> DryRun:
        """Judges like `send`, with a chance that stops at the first draw; writes nothing, reveals

        nothing, and neither reads nor writes a key.
        """
        loaded = self.repository.load(game_id)
        game = loaded.game.clone()
        party = _actor(game, seat, commands, request.caller)
        if request.fits is not None and not request.fits(game):
            raise Stale(loaded.game)
        code = game_creation.next_claim_code_hash(game, party, commands, request)
        judged = verdicts.judge_commands(game, party, commands, loaded.now, code=code, dry=True)
        events = tuple(
            replace(line, event=authorization.without_revelations(line.event))
            for line in recorded_events(judged.steps, loaded.game.version, loaded.now)
        )
        return DryRun(events, judged.stopped is not None)

    def delete(self, game_id: str, request: RequestContext) -> None:
        """Removes the game for good. Raises `Forbidden` for all but the host."""
        for _ in range(MAX_ATTEMPTS):
            game = self.repository.load(game_id).game
            if not authorization.may_read(game.table, request.caller):
                raise NotVisible(game_id)
            if not authorization.is_host(game.table, request.caller):
                raise Forbidden("only the host may delete a game")
            if request.fits is not None and not request.fits(game):
                raise Stale(game)
            fact = orjson.dumps({"version": game.version})
            gone = index_lists.removal(game)
            try:
                if self.store.remove(game_id, game.version, "deleted", fact, gone, due_work.KINDS):
                    self.repository.forget(game_id)
                    return
            except Gone as already:
                if already.why != "archived":
                    raise
                self.repository.bring_back(game_id)
        raise Busy

    def rotate(self, old: Token, new: Token) -> int:
        """Makes `new` stand for `old` in all its games. Returns in how many; can be repeated."""
        changed = 0
        while games := self.store.list_client(old.hash, 100):
            for listed in games:
                webhook_model.transfer_webhooks(self.store, listed.game, old.hash, new.hash)
                with tracing.restored(tracing.current_facts()):  # each game for itself
                    self._write(listed.game, _judge_rotation(old, new), RequestContext(old))
                changed += 1
        return changed

    # What the house does by itself

    def play_bot(
        self,
        seat: int,
        command: Command,
        game: Game,
        by: str,
        grace: int = 0,
        replaced: Replaced | None = None,
    ) -> Committed:
        """Sends a bot's command, for exactly the state it was thought out on. For `grace` (ms) the

        caller plays on by itself where bots must act again: until then no such work is due.
        Raises `Stale` when the game has moved on, `RuleViolation` as the rules do.
        """
        tracing.note(seat=seat)
        request = replace(_service_context(by, game), grace=grace, replaced=replaced)
        return self._write(
            game.id, lambda newest, now: verdicts.judge_bot_command(newest, seat, command), request
        )

    def score(self, game: Game, by: str) -> Committed:
        """Appends the result of a game whose play has ended. Raises `Stale` when it has it."""
        return self._write(
            game.id, lambda newest, now: verdicts.judge_scoring(newest), _service_context(by, game)
        )

    def expire(self, game: Game, seat: int, by: str) -> Committed:
        """Lets follow what a table chose for a seat whose time has run out (T-8).

        Raises `Stale` when the game has moved on: whoever appends first wins. Raises
        `RuleViolation` where the time by the store's clock has not come.
        """
        return self._write(
            game.id,
            lambda newest, now: verdicts.judge_expiry(newest, seat, now),
            _service_context(by, game),
        )

    def reveal(self, game: Game, by: str) -> Committed:
        """Shows the chance of a table whose tournament is over. Raises `Stale` when it is shown."""
        return self._write(
            game.id, lambda newest, now: verdicts.judge_reveal(newest), _service_context(by, game)
        )

    def end(self, game: Game, reason: str, by: str) -> Committed:
        """Abandons a game for a reason, if it is still in the state that was looked at."""
        return self._write(
            game.id,
            lambda newest, now: verdicts.judge_abandonment(newest, reason),
            _service_context(by, game),
        )

    # The write path

    def _write(
        self, game_id: str, judge: Callable[[Game, int], Verdict], request: RequestContext
    ) -> Committed:
        at_once = self._written_at_once(game_id, judge, request)
        if at_once is not None:
            return at_once
        key = request.keyed
        arrived: int | None = None
        for _ in range(MAX_ATTEMPTS):
            loaded = self.repository.load(game_id, key.name if key else None)
            # T-8: a request is judged by when it came, however often it is judged; the record's
            # time never goes back.
            arrived = loaded.now if arrived is None else arrived
            now = max(arrived, loaded.game.table.moved)
            if loaded.use is not None:
                return self._repeated(loaded.game, loaded.use, request)
            written = self._judged_and_written(loaded.game, judge, now, request)
            if written is not None:
                return written
        raise Busy

    def _written_at_once(
        self, game_id: str, judge: Callable[[Game, int], Verdict], request: RequestContext
    ) -> Committed | None:
        """Writes without asking the store first: judges the state that is kept, by about the time.

        An append that wins proves the state to have been the newest. Returns None, nothing being
        written, wherever the store must be asked after all: to refuse anything, to find what a key
        was used for, and where milliseconds count: a clock runs (T-8), or a bot waits (T-4).
        """
        game, about = self.repository.trusted(game_id), self.store.estimated_now(game_id)
        if game is None or about is None:
            return None
        created = game.table.created
        if created.deadline is not None or (created.bot_delay and request.by is not None):
            return None
        now = max(about, game.table.moved)
        try:
            return self._judged_and_written(game, judge, now, request, about)
        except (RuleViolation, CommandError, Gone):
            return None

    def _judged_and_written(
        self,
        before: Game,
        judge: Callable[[Game, int], Verdict],
        now: int,
        request: RequestContext,
        judged_by: int | None = None,
    ) -> Committed | None:
        """Judges a state and appends; None when somebody else was faster. Raises `Stale` where the

        state does not meet the request's condition, and as `judge` and the store do.
        """
        if request.fits is not None and not request.fits(before):
            raise Stale(before)
        game = before.clone()
        changed = verdicts.ruleset_change(game)
        judged = judge(game, now)
        if changed:
            judged = replace(judged, steps=(*changed, *judged.steps))
        return self._append(before, game, judged, now, request, judged_by)

    def _append(
        self,
        before: Game | None,
        game: Game,
        judged: Verdict,
        now: int,
        request: RequestContext,
        judged_by: int | None = None,
    ) -> Committed | None:
        """Appends what was judged; None when somebody else was faster: nothing was written.

        `judged_by` is the time that it was judged by, where that is only about the store's.
        """
        version = game.version
        previous = GENESIS_HASH if before is None else before.hash
        append_id = secrets.token_hex(16)
        tracing.note(game=game.id)
        traced = tracing.current_request()
        entries = encode(
            previous, judged.steps, append_id, now, request.by, request.replaced, traced
        )
        if judged.taken_back:
            stream = self.repository.entries(game.id, 1, version)
            if not stream or stream[-1].hash != previous:
                return None
            game = fold(None, (*stream, *entries))
        else:
            game.note([StepFact.of(step) for step in judged.steps], now, traced)
            game.version = game.append_end = version + len(entries)
            game.hash = entries[-1].hash
            game.settle()
        append = Append(
            game.id,
            version,
            previous,
            entries,
            request.keyed,
            due_work.due_changes(before, game, now, self._life, request.grace),
            index_lists.index_change(before, game),
            judged_by,
        )
        outcome = append_resolving(self.store, append)
        if not isinstance(outcome, Appended):
            self.repository.doubt(game.id)
            return None
        self.repository.keep(game)
        tracing.note(version=game.version)
        if request.by is not None:
            log.info("appended", extra={"by": request.by})
        return Committed(game, recorded_events(judged.steps, version, now), durable=outcome.durable)

    def _repeated(self, newest: Game, use: KeyUse, request: RequestContext) -> Committed:
        if use.fingerprint != request.fingerprint:
            raise KeyReused
        events = load_events(self.repository, newest, use.first, use.last)
        durable = self.store.confirm(newest.id)
        return Committed(newest, events, replayed=True, durable=durable)

    def _laid_before(
        self, created: GameCreated, request: RequestContext, *, shared: bool
    ) -> Committed | None:
        """Returns what a creation under this key came to before, None if there was none; or with

        `shared`, what anybody's under this id did. The archive keeps no keys, but what was created
        tells whether it was the same.
        """
        key = request.keyed
        if key is None and not shared:
            return None
        try:
            loaded = self.repository.load(created.game, key.name if key else None)
        except UnknownGame:
            return None
        if loaded.use is not None:
            return self._repeated(loaded.game, loaded.use, request)
        if not shared and game_creation.comparable_creation(
            loaded.game.table.created
        ) != game_creation.comparable_creation(created):
            raise KeyReused
        meta = decode_meta(self.repository.entries(created.game, 1, 1)[0])
        size = 0 if meta is None else meta.size
        events = load_events(self.repository, loaded.game, 1, size)
        durable = self.store.confirm(created.game)
        return Committed(loaded.game, events, replayed=True, durable=durable)


def _service_context(by: str, game: Game) -> RequestContext:
    return RequestContext(None, by=by, fits=lambda newest: newest.hash == game.hash)


def _actor(game: Game, seat: int | None, commands: Sequence[Command], caller: str | None) -> Actor:
    if not authorization.may_read(game.table, caller):
        raise NotVisible(game.id)
    party = authorization.actor_for(
        game.table, caller, seat, hosting=isinstance(commands[0], table_state.HOSTS_OWN)
    )
    if party is None or (seat is not None and not 0 <= seat < len(game.table.seats)):
        raise Forbidden("the token holds no such seat")
    return party


def _judge_rotation(old: Token, new: Token) -> Callable[[Game, int], Verdict]:
    event = TokenReplaced(old.hash, new.hash)
    return lambda game, now: verdicts.apply_table_event(game, event)
