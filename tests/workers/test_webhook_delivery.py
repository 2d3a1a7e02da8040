"""Webhooks are told everything once, in order, signed; and what a receiver may do wrong."""

from __future__ import annotations

import base64
import hmac
import logging
import random
from collections.abc import Iterator
from typing import Any

import pytest

from service.games import due_work
from service.games.commands.requests import RequestContext
from service.games.due_work import Lifetimes
from service.games.table import state as table_state
from service.games.table.commands import Abandon, AcceptUndo, HandOver, Undo
from service.games.tokens import Token, claim_code
from service.games.webhooks import counters as webhook_counters
from service.games.webhooks.model import WebhookRecord, find_webhook
from service.games.webhooks.service import Delivery, WebhookService
from service.games.webhooks.signing import secret_bytes
from service.games.webhooks.types import TYPES
from service.store import MAX_DELIVERIES, WebhookChange, webhook_work_kind
from tests.workers.receiver import Receiver, receiving, status
from tests.workers.tables import HOST, START, Clock, context, lay, newest
from workers import jobs
from workers.context import WorkerContext
from workers.webhooks import delivery as webhook_delivery
from workers.webhooks import http_client
from workers.webhooks.delivery import RETRY_SCHEDULE, deliver
from workers.webhooks.http_client import Response

GUEST = Token("bl_" + "g" * 43)
SECRET = "whsec_" + base64.b64encode(bytes(24)).decode()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


class Scene:
    """A house whose webhooks may call this machine, and a game in it."""

    def __init__(self, clock: Clock, *levels: str | None) -> None:
        base = context(clock)
        self.clock = clock
        self.context = WorkerContext(base.command_handler, base.life, base.generator, local=True)
        self.store = base.command_handler.store
        self.webhook_service = WebhookService(self.store, base.command_handler.repository)
        self.game = lay(self.context, *levels)

    def hook(self, url: str, *types: str, token: Token = HOST) -> str:
        """Adds a webhook; returns its id."""
        asked = RequestContext(token)
        return self.webhook_service.add(self.game.id, url, types or TYPES, SECRET, asked).record.id

    def seen(self, own: str) -> WebhookRecord:
        """The webhook as it is."""
        found = find_webhook(self.store, self.game.id, own)
        assert found is not None
        return found

    def claim(self, seat: int, token: Token = GUEST) -> None:
        code = claim_code(HOST, self.game.id, seat, 0)
        asked = RequestContext(token)
        self.context.command_handler.claim(self.game.id, seat, code, f"seat {seat}", "", asked)

    def move(self, seat: int, token: Token = GUEST) -> None:
        """The seat's first legal move."""
        game = newest(self.context, self.game)
        command = game.ruleset.legal(game.state, seat)[0]
        self.context.command_handler.send(self.game.id, seat, [command], RequestContext(token))

    def owed(self, own: str) -> int | None:
        """When the webhook is due."""
        return self.store.get_due(self.game.id, [webhook_work_kind(own)]).get(
            webhook_work_kind(own)
        )

    def deliver(self, own: str) -> int:
        return deliver(self.context, self.game.id, own)

    def log(self, own: str, token: Token = HOST) -> list[Delivery]:
        return self.webhook_service.list_deliveries(self.game.id, own, None, 100, token.hash)


def kinds(receiver: Receiver) -> list[str]:
    return [got.told["type"] for got in receiver.got]


def signed_right(receiver: Receiver, *keys: bytes) -> bool:
    """Whether everything that came is signed by all these keys and no other."""
    for got in receiver.got:
        signed = f"{got.id}.{got.headers['webhook-timestamp']}.".encode() + got.body
        macs = [hmac.digest(key, signed, "sha256") for key in keys]
        wanted = " ".join("v1," + base64.b64encode(mac).decode() for mac in macs)
        if got.headers["webhook-signature"] != wanted:
            return False
    return True


def test_a_whole_game_is_told(clock: Clock, receiver: Receiver) -> None:
    scene = Scene(clock, "random", None)
    own = scene.hook(receiver.url)
    assert scene.owed(own) is None
    scene.claim(1)
    assert scene.owed(own) == START
    while newest(scene.context, scene.game).table.status == table_state.PLAYING:
        jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
        scene.deliver(own)
        game = newest(scene.context, scene.game)
        if 1 in game.to_act():
            scene.move(1)
            scene.deliver(own)
    jobs.do_work(scene.context, due_work.SCORE, scene.game.id)
    scene.deliver(own)
    told = [got.told for got in receiver.got]
    assert kinds(receiver)[:3] == ["game.started", "game.events", "seat.to_act"]
    assert kinds(receiver)[-2:] == ["game.events", "game.finished"]
    assert kinds(receiver).count("game.started") == kinds(receiver).count("game.finished") == 1
    ranges = [
        (each["data"]["after"], each["data"]["version"])
        for each in told
        if each["type"] == "game.events"
    ]
    version = newest(scene.context, scene.game).version
    assert [first for first, _ in ranges] == [scene.game.version, *(last for _, last in ranges)][
        :-1
    ]
    assert ranges[-1][1] == version
    assert told[-1]["data"]["status"] == "finished"
    assert len({got.id for got in receiver.got}) == len(receiver.got)
    assert signed_right(receiver, bytes(24))
    assert all(len(got.body) < 1_000 for got in receiver.got)
    assert scene.owed(own) is None, "after the end nothing more is owed"
    assert scene.seen(own).webhook.cursor == version


def test_a_message_says_what_and_when(clock: Clock, receiver: Receiver) -> None:
    scene = Scene(clock, "random", None)
    own = scene.hook(receiver.url)
    before = scene.game.version
    scene.claim(1)
    clock.now += 5_000
    scene.deliver(own)
    version = newest(scene.context, scene.game).version
    path = f"/v1/games/{scene.game.id}"
    got = receiver.got[1]
    assert got.told == {
        "type": "game.events",
        "timestamp": "2023-11-14T22:13:20.000+00:00",
        "data": {
            "webhook": own,
            "game": scene.game.id,
            "ruleset": scene.game.ruleset.id,
            "version": version,
            "after": before,
            "links": {"game": path, "events": f"{path}/events?after={before}"},
        },
    }
    assert got.headers["webhook-timestamp"] == str((START + 5_000) // 1000)
    assert got.headers["content-type"] == "application/json"
    assert got.headers["user-agent"].startswith("bailli/")
    assert got.id.startswith("msg_")
    assert "." not in got.id


def test_only_what_is_wanted_is_told(clock: Clock, receiver: Receiver) -> None:
    scene = Scene(clock, "random", "random")
    own = scene.hook(receiver.url, "game.finished")
    jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
    assert scene.deliver(own) == 0
    assert scene.seen(own).webhook.cursor == newest(scene.context, scene.game).version
    assert scene.owed(own) is None
    jobs.do_work(scene.context, due_work.SCORE, scene.game.id)
    scene.deliver(own)
    assert kinds(receiver) == ["game.finished"]


def test_an_abandoned_game_is_finished_too(clock: Clock, receiver: Receiver) -> None:
    scene = Scene(clock, "random", None)
    own = scene.hook(receiver.url, "game.finished")
    scene.context.command_handler.send(scene.game.id, None, [Abandon()], RequestContext(HOST))
    scene.deliver(own)
    data = receiver.got[0].told["data"]
    assert (data["status"], data["reason"]) == ("abandoned", "host")


class TestTurns:
    """seat.to_act comes once for each time that a seat must act."""

    def test_seats_hear_of_themselves_and_hosts_of_all(
        self, clock: Clock, receiver: Receiver
    ) -> None:
        scene = Scene(clock, None, None)
        scene.claim(0)
        other = Token("bl_" + "o" * 43)
        scene.claim(1, other)
        tokens = {0: GUEST, 1: other}
        hooked = {
            seat: scene.hook(f"{receiver.url}/{seat}", "seat.to_act", token=token)
            for seat, token in {**tokens, None: HOST}.items()
        }
        turns = []
        for _ in range(6):
            (seat,) = newest(scene.context, scene.game).to_act()
            scene.move(seat, tokens[seat])
            turns += newest(scene.context, scene.game).to_act()
            for own in hooked.values():
                scene.deliver(own)
        told = {
            name: [
                seat
                for got in receiver.got
                if got.path == f"/hook/{name}"
                for seat in got.told["data"]["seats"]
            ]
            for name in hooked
        }
        assert told[None] == turns
        assert told[0] == [seat for seat in turns if seat == 0]
        assert told[1] == [seat for seat in turns if seat == 1]
        assert set(turns) == {0, 1}

    def test_late_news_is_told_together(self, clock: Clock, receiver: Receiver) -> None:
        """What has happened meanwhile is one range; the turn is told as it is now."""
        scene = Scene(clock, None, None)
        scene.claim(0)
        scene.claim(1)
        own = scene.hook(receiver.url, "game.events", "seat.to_act", token=GUEST)
        first = newest(scene.context, scene.game)
        for _ in range(4):
            scene.move(newest(scene.context, scene.game).to_act()[0])
        last = newest(scene.context, scene.game)
        scene.deliver(own)
        assert kinds(receiver) == ["game.events", "seat.to_act"]
        data = [got.told["data"] for got in receiver.got]
        assert (data[0]["after"], data[0]["version"]) == (first.version, last.version)
        assert data[1]["seats"] == list(last.to_act())

    def test_nothing_new_is_not_told_again(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "seat.to_act")
        scene.claim(1)
        jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
        scene.deliver(own)
        assert kinds(receiver) == ["seat.to_act"]
        scene.context.command_handler.send(scene.game.id, 1, [HandOver()], RequestContext(GUEST))
        scene.deliver(own)
        assert kinds(receiver) == ["seat.to_act"]

    def test_what_is_taken_back_is_a_turn_again(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, None, None)
        scene.claim(0)
        scene.claim(1)
        own = scene.hook(receiver.url, "seat.to_act", token=GUEST)
        (seat,) = newest(scene.context, scene.game).to_act()
        scene.move(seat)
        scene.deliver(own)
        count = len(receiver.got)
        for asker, command in ((seat, Undo()), (1 - seat, AcceptUndo())):
            if newest(scene.context, scene.game).table.take_back_request or asker == seat:
                scene.context.command_handler.send(
                    scene.game.id, asker, [command], RequestContext(GUEST)
                )
        assert newest(scene.context, scene.game).to_act() == (seat,)
        scene.deliver(own)
        assert [got.told["data"]["seats"] for got in receiver.got[count:]] == [[seat]]


class TestFailures:
    """A message is tried again under the same id until it is taken, or the schedule is over."""

    @pytest.fixture
    def scene(self, clock: Clock) -> Scene:
        return Scene(clock, "random", None)

    @pytest.mark.parametrize("code", [199, 301, 400, 404, 429, 500, 502, 503, 504])
    def test_whatever_is_no_2xx(self, scene: Scene, receiver: Receiver, code: int) -> None:
        own = scene.hook(receiver.url)
        scene.claim(1)
        receiver.usual = status(code)
        assert scene.deliver(own) == 1
        webhook = scene.seen(own).webhook
        assert (webhook.failures, webhook.cursor) == (1, scene.game.version)
        wait = 60_000 if code in (429, 502, 504) else 5_000
        assert START + wait <= (webhook.next_at or 0) <= START + wait * 1.1
        assert scene.owed(own) == webhook.next_at

    def test_the_same_again_until_it_is_taken(self, scene: Scene, receiver: Receiver) -> None:
        own = scene.hook(receiver.url, "game.started", "game.events")
        scene.claim(1)
        receiver.acts = [status(500), status(500), status(200)]
        scene.deliver(own)
        assert scene.deliver(own) == 0, "it is not time yet"
        assert scene.owed(own) == scene.seen(own).webhook.next_at
        jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)  # more happens meanwhile
        due = scene.seen(own).webhook.next_at
        assert scene.owed(own) == due, "an append does not shorten the wait"
        for _ in range(2):
            scene.clock.now = scene.seen(own).webhook.next_at or 0
            scene.deliver(own)
        started = [got for got in receiver.got if got.told["type"] == "game.started"]
        assert len(started) == 3
        assert len({(got.id, got.body) for got in started}) == 1
        assert kinds(receiver)[3:] == ["game.events", "game.events"]
        data = [got.told["data"] for got in receiver.got[3:]]
        assert data[0]["version"] == data[1]["after"], "in order, without a gap"
        assert [(each.attempt, each.outcome, each.status) for each in scene.log(own)[::-1]][:3] == [
            (1, "failed", 500), (2, "failed", 500), (3, "delivered", 200),
        ]  # fmt: skip
        webhook = scene.seen(own).webhook
        assert (webhook.failures, webhook.next_at) == (0, None)

    def test_it_is_given_up_after_the_whole_schedule(
        self, scene: Scene, receiver: Receiver, caplog: pytest.LogCaptureFixture
    ) -> None:
        own = scene.hook(receiver.url)
        scene.claim(1)
        receiver.usual = status(500)
        waits = []
        for _ in range(len(RETRY_SCHEDULE) + 1):
            assert scene.deliver(own) == 1
            webhook = scene.seen(own).webhook
            waits.append((webhook.next_at or 0) - scene.clock.now)
            scene.clock.now = webhook.next_at or scene.clock.now
        assert webhook.disabled == "exhausted"
        assert scene.owed(own) is None
        assert len({got.id for got in receiver.got}) == 1
        for wait, seconds in zip(waits, RETRY_SCHEDULE, strict=False):
            assert seconds * 1000 <= wait <= seconds * 1100
        assert (
            len({wait / seconds for wait, seconds in zip(waits, RETRY_SCHEDULE, strict=False)}) > 5
        )
        assert scene.log(own)[0].outcome == "disabled"
        assert "exhausted" in caplog.text
        jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
        assert scene.owed(own) is None, "a disabled webhook sleeps"
        assert scene.deliver(own) == 0
        scene.webhook_service.enable(scene.game.id, own, HOST.hash)
        receiver.usual = status(204)
        assert scene.owed(own) == scene.clock.now
        scene.deliver(own)
        assert scene.seen(own).webhook.cursor == newest(scene.context, scene.game).version
        assert receiver.got[-1].told["data"]["version"] == scene.seen(own).webhook.cursor

    def test_410_disables_at_once(self, scene: Scene, receiver: Receiver) -> None:
        own = scene.hook(receiver.url)
        scene.claim(1)
        receiver.usual = status(410)
        scene.deliver(own)
        assert scene.seen(own).webhook.disabled == "gone"
        assert scene.owed(own) is None
        counts = webhook_counters.read_counters(scene.store.get_counts())
        assert counts.disabled == {"gone": 1}
        assert counts.deliveries == {"disabled": 1}

    @pytest.mark.parametrize(
        ("asked", "wait"), [("3", 5), ("7200", 7_200), ("9999999", 86_400), ("soon", 5)]
    )
    def test_retry_after(self, scene: Scene, receiver: Receiver, asked: str, wait: int) -> None:
        own = scene.hook(receiver.url)
        scene.claim(1)
        receiver.usual = status(503, Retry_After=asked)
        scene.deliver(own)
        due = (scene.seen(own).webhook.next_at or 0) - START
        assert wait * 1000 <= due <= wait * 1000 + 500

    def test_a_receiver_that_hangs(
        self, scene: Scene, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(http_client.post.__kwdefaults__, "seconds", 0.2)
        own = scene.hook(receiver.url)
        scene.claim(1)
        receiver.usual = receiver.hang
        scene.deliver(own)
        (line,) = scene.log(own)
        assert (line.status, line.fault, line.outcome) == (None, "timeout", "failed")

    def test_addresses_are_judged_when_it_is_sent(self, scene: Scene, receiver: Receiver) -> None:
        own = scene.hook(receiver.url)
        named = scene.hook(f"http://localhost:{receiver.port}/", token=HOST)
        scene.claim(1)
        strict = WorkerContext(scene.context.command_handler, scene.context.life)
        for each in (own, named):
            deliver(strict, scene.game.id, each)
            assert scene.log(each)[0].fault == "refused_address"
        assert receiver.got == []

    def test_the_schedule_as_it_is_published(self) -> None:
        answer, generator = Response(500, None, None, 1), random.Random(1)
        waits = [
            webhook_delivery.retry_delay(failed, answer, generator)
            for failed in range(len(RETRY_SCHEDULE) + 1)
        ]
        assert waits[-1] is None
        assert RETRY_SCHEDULE == (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
        for wait, seconds in zip(waits, RETRY_SCHEDULE, strict=False):
            assert seconds * 1000 <= (wait or 0) <= seconds * 1100


class TestRights:
    """Who has left the table is told nothing more."""

    def test_a_seat_that_was_handed_over(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        scene.claim(1)
        own = scene.hook(receiver.url, token=GUEST)
        hand = [HandOver()]
        written = scene.context.command_handler.send(scene.game.id, 1, hand, RequestContext(GUEST))
        scene.deliver(own)
        count = len(receiver.got)
        other = Token("bl_" + "o" * 43)
        take = scene.context.command_handler.claim
        take(scene.game.id, 1, written.codes[1], "other", "", RequestContext(other))
        scene.deliver(own)
        assert scene.seen(own).webhook.disabled == "no_right"
        assert len(receiver.got) == count
        assert scene.owed(own) is None

    def test_a_token_that_was_replaced_keeps_its_webhooks(
        self, clock: Clock, receiver: Receiver
    ) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url)
        others = scene.webhook_service
        scene.claim(1)
        guests = scene.hook(receiver.url, token=GUEST)
        new = Token("bl_" + "n" * 43)
        scene.context.command_handler.rotate_token(HOST, new)
        assert [held.id for held in others.list_webhooks(scene.game.id, new.hash)] == [own]
        assert [held.id for held in others.list_webhooks(scene.game.id, GUEST.hash)] == [guests]
        scene.deliver(own)
        assert scene.seen(own).webhook.disabled is None
        assert receiver.got


class TestReplays:
    """A delivery is sent again as it was, once, when somebody asks."""

    def test_under_the_same_id(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url)
        scene.claim(1)
        scene.deliver(own)
        first = receiver.got[0]
        clock.now += 60_000
        for _ in range(2):
            scene.webhook_service.replay_delivery(scene.game.id, own, 1, HOST.hash)
        assert scene.owed(own) == clock.now
        before = len(receiver.got)
        assert scene.deliver(own) == 1
        again = receiver.got[before]
        assert (again.id, again.body) == (first.id, first.body)
        assert again.headers["webhook-timestamp"] != first.headers["webhook-timestamp"]
        assert signed_right(receiver, bytes(24))
        newest_line = scene.log(own)[0]
        assert (newest_line.replay, newest_line.outcome) == (True, "delivered")
        assert scene.owed(own) is None

    def test_a_failing_replay_is_only_noted(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started")
        scene.claim(1)
        scene.deliver(own)
        receiver.usual = status(500)
        scene.webhook_service.replay_delivery(scene.game.id, own, 1, HOST.hash)
        scene.deliver(own)
        webhook = scene.seen(own).webhook
        assert (webhook.failures, webhook.disabled, webhook.replays) == (0, None, ())
        assert scene.log(own)[0].outcome == "failed"

    def test_it_does_not_shorten_a_wait(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started", "game.events")
        scene.claim(1)
        receiver.acts = [status(204), status(500), status(204)]
        scene.deliver(own)
        due = scene.seen(own).webhook.next_at
        scene.webhook_service.replay_delivery(scene.game.id, own, 1, HOST.hash)
        scene.deliver(own)
        assert kinds(receiver) == ["game.started", "game.events", "game.started"]
        assert scene.owed(own) == due

    def test_one_asked_for_during_a_failing_attempt_is_not_kept_waiting(
        self, clock: Clock, receiver: Receiver
    ) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started", "game.events")
        scene.claim(1)

        def meanwhile(handler: Any) -> None:
            scene.webhook_service.replay_delivery(scene.game.id, own, 1, HOST.hash)
            status(500)(handler)

        receiver.acts = [status(204), meanwhile]
        scene.deliver(own)
        assert scene.owed(own) == START
        scene.deliver(own)
        assert kinds(receiver)[2:] == ["game.started"]
        assert scene.seen(own).webhook.failures == 1

    def test_what_is_no_longer_kept(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started")
        scene.claim(1)
        scene.deliver(own)
        scene.webhook_service.replay_delivery(scene.game.id, own, 1, HOST.hash)
        held = scene.seen(own)
        late = (MAX_DELIVERIES + 1, b"{}")
        change = WebhookChange(scene.game.id, own, held.stored, held.stored, delivery=late)
        assert scene.store.change_webhook(change)
        scene.deliver(own)
        assert scene.seen(own).webhook.replays == ()
        assert len(receiver.got) == 1


class TestWorking:
    """Jobs are late, doubled or lost."""

    def test_the_job_hands_it_to_a_courier(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url)
        scene.claim(1)
        taken = scene.store.lease_due(scene.game.id[0], jobs.LEASES).work
        (lease,) = [lease for lease in taken if own in lease.kind]
        assert scene.owed(own) == START + webhook_delivery.LEASE
        assert jobs.do_work(scene.context, lease.kind, scene.game.id)
        assert scene.context.delivery_pool.wait(10)
        assert "game.started" in kinds(receiver)
        assert scene.owed(own) is None

    def test_one_that_comes_twice_finds_nothing(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url)
        scene.claim(1)
        assert scene.deliver(own) == 2
        assert scene.deliver(own) == 0
        assert len(receiver.got) == 2

    def test_gone_webhooks_and_games_owe_nothing(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own, other = scene.hook(receiver.url), scene.hook(receiver.url)
        scene.claim(1)
        scene.webhook_service.remove(scene.game.id, own, HOST.hash)
        assert scene.deliver(own) == 0
        assert scene.owed(own) is None
        stale = scene.seen(other)
        scene.context.command_handler.delete(scene.game.id, RequestContext(HOST))
        assert scene.owed(other) is None
        assert scene.deliver(other) == 0
        assert not webhook_delivery._store_next_messages(scene.context, scene.game.id, stale)

    def test_two_workers_at_once(self, clock: Clock, receiver: Receiver) -> None:
        """The slower one's answer changes nothing; both send the same under the same id."""
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started", "game.events")
        scene.claim(1)

        def overtaken(handler: Any) -> None:
            scene.deliver(own)
            status(500)(handler)

        receiver.acts = [overtaken]
        scene.deliver(own)
        assert kinds(receiver) == ["game.started", "game.started", "game.events"]
        assert receiver.got[0].id == receiver.got[1].id
        webhook = scene.seen(own).webhook
        assert (webhook.failures, webhook.pending) == (0, ())
        assert scene.owed(own) is None

    def test_a_secret_taken_in_mid_delivery(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started", "game.events")
        scene.claim(1)
        new = "whsec_" + base64.b64encode(bytes(range(24))).decode()

        def meanwhile(handler: Any) -> None:
            before = scene.owed(own)
            scene.webhook_service.rotate_secret(scene.game.id, own, new, 1_000, HOST.hash)
            assert scene.owed(own) == before
            status(204)(handler)

        receiver.acts = [meanwhile]
        scene.deliver(own)
        first, second = receiver.got
        receiver.got = [first]
        assert signed_right(receiver, bytes(24))
        receiver.got = [second]
        assert signed_right(receiver, secret_bytes(new), bytes(24))

    def test_one_with_much_to_say_lets_others_have_their_turn(
        self, clock: Clock, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(webhook_delivery, "MAX_MESSAGES", 1)
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url)
        scene.claim(1)
        assert [scene.deliver(own) for _ in range(4)] == [1, 1, 0, 0]
        assert len(receiver.got) == 2

    def test_no_secret_is_logged_or_noted(
        self, clock: Clock, receiver: Receiver, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url + "?key=hidden")
        scene.claim(1)
        receiver.acts = [status(500)]
        scene.deliver(own)
        scene.clock.now += 10_000
        scene.deliver(own)
        receiver.usual = status(410)
        jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
        scene.deliver(own)
        assert own in caplog.text
        for hidden in (SECRET, SECRET[6:], "hidden", HOST.text):
            assert hidden not in caplog.text
            assert all(hidden not in repr(line) for line in scene.log(own))
            assert all(hidden.encode() not in got.body for got in receiver.got)

    def test_counters(self, clock: Clock, receiver: Receiver) -> None:
        scene = Scene(clock, "random", None)
        own = scene.hook(receiver.url, "game.started")
        scene.claim(1)
        receiver.acts = [status(500)]
        scene.deliver(own)
        scene.clock.now = scene.seen(own).webhook.next_at or 0
        scene.deliver(own)
        counts = webhook_counters.read_counters(scene.store.get_counts())
        assert counts.deliveries == {"delivered": 1, "failed": 1}
        assert counts.retries == 1
        assert counts.lags[webhook_counters.LAGS.index(30_000)] == 1
        assert counts.lag_sum == clock.now - START
        assert webhook_counters.attempt_counts("delivered", False, 10**9)["hook_lag:beyond"] == 1


def test_archiving_takes_them_along(clock: Clock, receiver: Receiver, tmp_path: Any) -> None:
    scene = Scene(clock, "random", "random")
    own = scene.hook(receiver.url)
    jobs.do_work(scene.context, due_work.BOT_MOVE, scene.game.id)
    jobs.do_work(scene.context, due_work.SCORE, scene.game.id)
    life = Lifetimes(archive=0)
    away = WorkerContext(scene.context.command_handler, life, archive_folder=tmp_path)
    assert jobs.do_work(away, due_work.ARCHIVE, scene.game.id)
    assert scene.owed(own) is None
    assert scene.store.list_webhooks(scene.game.id) == ()
