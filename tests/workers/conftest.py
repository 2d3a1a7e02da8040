"""The toy game is known to the house while the workers are tested."""

from __future__ import annotations

import pytest

from service.games import game as games
from service.rules.ruleset import rulesets
from tests.rules.toy import Pebbles
from workers import jobs

from . import unruly
from .server import queues
from .tables import Clock

__all__ = ["queues"]


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**rulesets(), Pebbles.id: Pebbles()}
    monkeypatch.setattr(games, "rulesets", lambda: known)
    monkeypatch.setattr(unruly, "DEEDS", {})


@pytest.fixture(autouse=True)
def _jobs_are_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a job comes to does not depend on how busy the machine is."""
    monkeypatch.setattr(jobs, "MAX_SECONDS", 60.0)
    monkeypatch.setattr(jobs, "MAX_SECONDS_BOTS_ONLY", 60.0)


@pytest.fixture
def clock() -> Clock:
    return Clock()
