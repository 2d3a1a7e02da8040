"""One running service and one browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.running import running

from . import browser as browsers
from .browser import Browser
from .driving import Visitor


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service")) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if browsers.found() is None:
        pytest.skip("there is no Chromium here")
    with browsers.browsing() as running_browser:
        yield running_browser


@pytest.fixture
def visitor(browser: Browser, url: str) -> Iterator[Visitor]:
    """Somebody at the page, who must have had nothing to complain of at the end."""
    somebody = Visitor(browser, url)
    yield somebody
    assert somebody.page.complaints == []
    somebody.page.close()


@pytest.fixture
def friend(browser: Browser, url: str) -> Iterator[Visitor]:
    """Somebody else, with a browser of their own."""
    somebody = Visitor(browser, url)
    yield somebody
    assert somebody.page.complaints == []
    somebody.page.close()
