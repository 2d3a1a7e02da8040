"""The public names of the store, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

from service import store

EXPORTED = [
    "GENESIS_HASH",
    "LISTENING",
    "MAX_AHEAD_MS",
    "MAX_BEHIND_MS",
    "MAX_BYTES",
    "MAX_DELIVERIES",
    "MAX_ENTRIES",
    "PARTITIONS",
    "WEBHOOK",
    "Acknowledgement",
    "Append",
    "Appended",
    "Conflict",
    "Corrupt",
    "DueWork",
    "Entry",
    "Gone",
    "IdempotencyKey",
    "IndexChange",
    "KeyTaken",
    "KeyUse",
    "LeasedWork",
    "ListedGame",
    "MemoryStore",
    "OutcomeUnknown",
    "Store",
    "StoreError",
    "StoredWebhook",
    "StreamSlice",
    "Unavailable",
    "WebhookChange",
    "append_and_resolve",
    "chain_entry",
    "check_bounds",
    "partition",
    "wall_clock",
    "webhook_work_kind",
]


def test_exactly_these_names_are_exported() -> None:
    assert store.__all__ == EXPORTED


def test_all_that_is_imported_from_elsewhere_is_exported() -> None:
    modules = {name for name in vars(store) if f"service.store.{name}" in sys.modules}
    public = {name for name in vars(store) if not name.startswith("_")}
    assert public - modules == set(EXPORTED)


def test_the_names_need_no_redis_client() -> None:
    code = "import sys, service.store; sys.exit('redis' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
