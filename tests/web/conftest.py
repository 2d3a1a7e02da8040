"""One browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import browser as browsers
from .browser import Browser
from .driving import Visitor

LINES = 40
"""Lines of the service's log that a failure is told with."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """Tells with a failure all that is known of the pages and of the service."""
    report: pytest.TestReport = yield  # type: ignore[misc]
    held = getattr(item, "funcargs", {})
    if report.when == "call" and report.failed and "service" in held:
        folder = held["service"].folder
        for name, somebody in held.items():
            if isinstance(somebody, Visitor):
                taken = folder / f"{item.name}-{name}.png"
                somebody.page.picture(taken)
                told = [f"seen in {taken}", somebody.page.report(), somebody.game()]
                report.sections.append((f"the page of {name}", "\n".join(told)))
        log = (folder / "log").read_text().splitlines()[-LINES:]
        report.sections.append(("the service's log", "\n".join(log)))
    return report


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
