"""What the API's tests have: an application on a store in memory, and people."""

from __future__ import annotations

from tests.api.conftest import ana, app, clock, game, shared_app, store, table

__all__ = ["ana", "app", "clock", "game", "shared_app", "store", "table"]
