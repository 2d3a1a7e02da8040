"""One running service for all clients and pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.running import running


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service")) as address:
        yield address
