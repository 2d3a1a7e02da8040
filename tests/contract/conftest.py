"""One running service for all tests of the contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .running import running


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service")) as address:
        yield address
