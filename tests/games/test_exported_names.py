"""The exported names of games: a change of one of these lists is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from service import games
from service.games import commands, records, table, webhooks

EXPORTED: dict[str, list[str]] = {
    "service.games": [
        "CommandHandler",
        "Committed",
        "Creation",
        "DryRun",
        "Game",
        "LegalMoves",
        "Lifetimes",
        "Loaded",
        "Move",
        "RecordedEvent",
        "Repository",
        "RequestContext",
        "Token",
        "UnknownGame",
        "fold",
        "load_events",
        "new_game",
        "new_token",
    ],
    "service.games.commands": [
        "Busy",
        "CommandError",
        "CommandHandler",
        "Committed",
        "Creation",
        "DryRun",
        "Forbidden",
        "KeyReused",
        "NotVisible",
        "RequestContext",
        "Stale",
    ],
    "service.games.records": [],
    "service.games.table": [
        "COMMANDS",
        "EVENTS",
        "STATUSES",
        "Actor",
        "Clock",
        "Deadline",
        "Decision",
        "DecisionContext",
        "Seat",
        "Table",
        "TableEvent",
        "create_table",
    ],
    "service.games.webhooks": [
        "Message",
        "Webhook",
        "WebhookConflict",
        "WebhookRecord",
        "new_secret",
        "secret_bytes",
        "signature_header",
    ],
}


@pytest.mark.parametrize("package", [games, commands, records, table, webhooks])
def test_exactly_these_names_are_exported(package: ModuleType) -> None:
    public = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(package.__all__) == sorted(EXPORTED[package.__name__])
    assert public == set(package.__all__)


@pytest.mark.integration
@pytest.mark.parametrize(
    "module",
    [
        "service.games.analyses",
        "service.games.commands.tournaments",
        "service.games.records.archive",
        "service.games.records.record_import",
        "service.games.repository",
        "service.games.table.events",
        "service.games.webhooks.service",
    ],
)
def test_any_module_may_be_imported_first(module: str) -> None:
    """No cycle, and no import that costs a client library or a web framework."""
    code = f"import sys, {module}; print(*sorted({{'flask', 'redis', 'rq'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == ""
