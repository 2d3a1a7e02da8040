"""A running service for each module: generated requests leave games behind that bots must play."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .running import running


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service")) as address:
        yield address
