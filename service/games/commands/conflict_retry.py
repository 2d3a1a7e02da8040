"""The write path: judge the newest state on a clone, append, and retry on a conflict.

The store takes an append only where the stream still ends at the version and hash that were
judged. Whoever loses that race judges again on the newest state. First the cached state is tried
without asking the store whether it is the newest: an append that wins proves that it was.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ...rules.ruleset import RuleViolation
from ...store import GENESIS_HASH, Append, Appended, Gone, Store, append_and_resolve
from .. import due_work, index_lists, tracing
from ..codec import StepFact, encode
from ..game import Game, fold
from ..history import recorded_events
from ..repository import Repository
from . import verdicts
from .errors import Busy, CommandError, Stale
from .idempotent_replay import replay
from .requests import RequestContext
from .results import Committed
from .verdicts import Verdict

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 9
"""How often a request is judged again after a conflict before `Busy` is raised."""

Judge = Callable[[Game, int], Verdict]
"""Judges a cloned game at a time (ms since 1970)."""


class ConflictRetry:
    """Judges requests and appends what follows. Stateless but for the repository's cache."""

    def __init__(self, store: Store, repository: Repository, life: due_work.Lifetimes) -> None:
        self._store = store
        self._repository = repository
        self._life = life

    def commit(self, game_id: str, judge: Judge, request: RequestContext) -> Committed:
        """Judges a request on the newest state and appends its steps, or replays its result.

        Raises `Stale` where the request's condition does not hold, `KeyReused`, `Busy` after
        `MAX_ATTEMPTS` conflicts, and as `judge`, the repository and the store do.
        """
        committed = self._commit_on_cached_state(game_id, judge, request)
        if committed is not None:
            return committed
        key = request.store_key
        arrived: int | None = None
        for _ in range(MAX_ATTEMPTS):
            loaded = self._repository.load(game_id, key.name if key else None)
            # T-8: a request is judged by the time it arrived at, however often it is judged; the
            # record's time never goes back.
            arrived = loaded.now if arrived is None else arrived
            now = max(arrived, loaded.game.table.changed_at)
            if loaded.key_use is not None:
                return replay(self._store, self._repository, loaded.game, loaded.key_use, request)
            committed = self._judge_and_append(loaded.game, judge, now, request)
            if committed is not None:
                return committed
        raise Busy

    def append(
        self,
        before: Game | None,
        game: Game,
        verdict: Verdict,
        now: int,
        request: RequestContext,
        estimate_now: int | None = None,
    ) -> Committed | None:
        """Appends a verdict's steps; returns None on a conflict, when nothing was written.

        `before` is the state that was judged (None: there is no game yet), `game` the clone that
        the steps were applied to. `estimate_now` is given where `now` follows from an estimate of
        the store's time, which the store then checks. Raises as the store does.
        """
        version = game.version
        previous = GENESIS_HASH if before is None else before.hash
        append_id = secrets.token_hex(16)
        tracing.note(game=game.id)
        request_id = tracing.current_request()
        entries = encode(
            previous, verdict.steps, append_id, now, request.sent_by, request.replaced, request_id
        )
        if verdict.take_back_to:
            stream = self._repository.read_entries(game.id, 1, version)
            if not stream or stream[-1].hash != previous:
                return None
            game = fold(None, (*stream, *entries))
        else:
            facts = [StepFact.of(step) for step in verdict.steps]
            game.note_append(facts, now, request_id, before)
            game.version = game.append_end = version + len(entries)
            game.hash = entries[-1].hash
            game.settle_clocks()
        append = Append(
            game.id,
            version,
            previous,
            entries,
            request.store_key,
            due_work.due_changes(before, game, now, self._life, request.bot_lease),
            index_lists.index_change(before, game),
            estimate_now,
        )
        outcome = append_and_resolve(self._store, append)
        if not isinstance(outcome, Appended):
            self._repository.mark_maybe_stale(game.id)
            return None
        self._repository.cache(game)
        tracing.note(version=game.version)
        if request.sent_by is not None:
            log.info("appended", extra={"by": request.sent_by})
        events = recorded_events(verdict.steps, version, now)
        return Committed(game, events, durable=outcome.durable)

    def _commit_on_cached_state(
        self, game_id: str, judge: Judge, request: RequestContext
    ) -> Committed | None:
        """Judges the cached state by the estimated time and appends, in one round trip.

        Returns None, with nothing written, wherever the store must be asked first: to refuse
        anything, to find what a key was used for, and where milliseconds count because a clock runs
        (T-8) or a bot waits (T-4).
        """
        game = self._repository.cached_unless_stale(game_id)
        estimate_now = self._store.estimate_now(game_id)
        if game is None or estimate_now is None:
            return None
        created = game.table.created
        if created.deadline is not None or (created.bot_delay and request.sent_by is not None):
            return None
        now = max(estimate_now, game.table.changed_at)
        try:
            return self._judge_and_append(game, judge, now, request, estimate_now)
        except (RuleViolation, CommandError, Gone):
            return None

    def _judge_and_append(
        self,
        before: Game,
        judge: Judge,
        now: int,
        request: RequestContext,
        estimate_now: int | None = None,
    ) -> Committed | None:
        """Judges a clone of a state and appends; returns None on a conflict."""
        if request.condition is not None and not request.condition(before):
            raise Stale(before)
        game = before.clone()
        version_change = verdicts.ruleset_change(game)
        verdict = judge(game, now)
        if version_change:
            verdict = replace(verdict, steps=(*version_change, *verdict.steps))
        return self.append(before, game, verdict, now, request, estimate_now)
