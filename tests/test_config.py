"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.config import RATE_LIMITED, Settings, SettingsError, next_database_url
from service.games.due_work import Lifetimes
from service.store import Acknowledgement


def test_nothing_set_means_the_defaults() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({"PORT": "  ", "REDIS_URL": ""}) == Settings()


def test_everything_can_be_set() -> None:
    found = Settings.from_environment(
        {
            "REDIS_URL": "rediss://user:word@redis.example:6380/3",
            "QUEUE_URL": "redis://other:6379/0",
            "HOST": "::",
            "PORT": "9000",
            "BAILLI_DATA": "/srv/bailli",
            "BAILLI_FSYNC": "everysec",
            "BAILLI_EXPIRE_S": "60",
            "BAILLI_ABANDON_S": "120",
            "BAILLI_ARCHIVE_S": "180",
            "BAILLI_PATIENCE_S": "5",
            "BAILLI_RATE_CREATE": "7",
            "BAILLI_STREAMS": "50",
            "BAILLI_HEARTBEAT_S": "15",
            "BAILLI_HOOKS_LOCAL": "1",
            "BAILLI_STORE_ACKS": "1 2 500",
        }
    )
    assert (found.host, found.port, found.fsync) == ("::", 9000, "everysec")
    assert found.lifetimes == Lifetimes(60_000, 120_000, 180_000)
    assert found.patience == 5_000
    assert found.archive == Path("/srv/bailli/archive")
    assert found.rate_limit("create") == 7
    assert (found.streams, found.heartbeat_s) == (50, 15)
    assert found.hooks_local
    assert found.acks == Acknowledgement(1, 2, 500)
    assert found.resolve_queue_url("redis://x:6379/0") == "redis://other:6379/0"


def test_webhooks_call_no_local_addresses_unless_told() -> None:
    assert not Settings.from_environment({"BAILLI_HOOKS_LOCAL": "0"}).hooks_local


def test_finished_games_are_not_archived_unless_told() -> None:
    assert Settings().lifetimes.archive is None


def test_every_limit_has_a_rate() -> None:
    assert all(Settings().rate_limit(what) > 0 for what in RATE_LIMITED)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "٣"),
        ("PORT", "eight"),
        ("BAILLI_HOOKS_LOCAL", "yes"),
        ("REDIS_URL", "http://localhost"),
        ("QUEUE_URL", "localhost:6379"),
        ("BAILLI_FSYNC", "sometimes"),
        ("BAILLI_BODY_BYTES", "10"),
        ("REDIS_URL", "redis://a:1,http://b:2"),
        ("REDIS_URL", "unix:///a.sock,redis://b:2"),
        ("QUEUE_URL", "a:1,redis://b:2"),
        ("BAILLI_STORE_ACKS", "1 1"),
        ("BAILLI_STORE_ACKS", "2 1 500"),
        ("BAILLI_STORE_ACKS", "0 0 500"),
        ("BAILLI_STORE_ACKS", "1 -1 500"),
        ("BAILLI_STORE_ACKS", "1 1 5000"),
        ("BAILLI_STORE_ACKS", "1 1 0"),
    ],
)
def test_what_does_not_fit_is_one_line_that_names_the_variable(name: str, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({name: text})
    assert str(caught.value).startswith(f"{name} must ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("redis://h:6379", "redis://h:6379/1"),
        ("redis://h:6379/0", "redis://h:6379/1"),
        ("rediss://u:p@h/4?ssl_ca_certs=/x", "rediss://u:p@h/5?ssl_ca_certs=/x"),
        ("unix:///tmp/a.sock", "unix:///tmp/a.sock?db=1"),
        ("unix:///tmp/a.sock?db=0", "unix:///tmp/a.sock?db=1"),
    ],
)
def test_queues_live_in_the_next_database(url: str, other: str) -> None:
    assert next_database_url(url) == other
    assert Settings().resolve_queue_url(url) == other


def test_a_cluster_wants_queues_elsewhere() -> None:
    url = "redis://a:7000,redis://b:7000"
    with pytest.raises(SettingsError, match="QUEUE_URL must be set"):
        Settings.from_environment({"REDIS_URL": url})
    found = Settings.from_environment({"REDIS_URL": url, "QUEUE_URL": "redis://c:6379/0"})
    assert (found.redis_url, found.resolve_queue_url(url)) == (url, "redis://c:6379/0")
