"""How the page is served, and what its sources must never do."""

from __future__ import annotations

import re
import tomllib

import pytest
from flask import Flask

from service.api.resources.web_app import FOLDER
from service.app import create_app
from service.config import Settings
from service.rules.ruleset import rulesets
from service.store import MemoryStore
from tests.api.http_client import Person

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SOURCES = sorted(each for each in FOLDER.iterdir() if each.suffix in (".js", ".css", ".html"))
LONGEST = 400
MARKUP = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(")
TINTS = ("ink", "soft", "mark", "danger")
PAPERS = ("ground", "panel", "raised")


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app(Settings.from_environment({}), MemoryStore())


def test_browsers_get_the_page_and_clients_get_data(app: Flask) -> None:
    person = Person(app)
    page = person.client.get("/", headers={"Accept": BROWSER})
    assert page.mimetype == "text/html"
    assert "app.js" in page.text
    for accept in ("*/*", "application/json", ""):
        answer = person.client.get("/", headers={"Accept": accept})
        assert answer.json["links"]["games"] == "/v1/games"
        assert "Accept" in answer.headers["Vary"]
    assert "Accept" in page.headers["Vary"]


def test_nothing_foreign_and_nothing_inline_is_allowed(app: Flask) -> None:
    policy = (
        Person(app).client.get("/", headers={"Accept": BROWSER}).headers["Content-Security-Policy"]
    )
    told = dict(part.split(" ", 1) for part in policy.split("; "))
    assert told["default-src"] == "'none'"
    assert told["script-src"] == told["style-src"] == told["connect-src"] == "'self'"
    assert told["frame-ancestors"] == "'none'"
    page = (FOLDER / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", page)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_every_file_is_served_with_its_type(app: Flask, path: object) -> None:
    name = str(getattr(path, "name", ""))
    answer = Person(app).client.get(f"/web/{name}")
    assert answer.status_code == 200
    assert "Content-Security-Policy" in answer.headers
    assert answer.headers["Cache-Control"] == "no-cache"
    expected = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
    assert answer.mimetype == expected.get(name.rpartition(".")[2], answer.mimetype)
    known = Person(app).client.get(
        f"/web/{name}", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert known.status_code == 304


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fconfig.py", "%2e%2e", "app.py", "a%00.js"])
def test_nothing_else_is_served(app: Flask, name: str) -> None:
    answer = Person(app).client.get(f"/web/{name}")
    assert answer.status_code == 404
    assert answer.json["code"] == "not_found"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_sources_never_make_markup_and_ask_nobody_else(path: object) -> None:
    source = (FOLDER / str(getattr(path, "name", ""))).read_text()
    assert not [word for word in MARKUP if word in source]
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", source)
    assert len(source.splitlines()) <= LONGEST


def test_a_ruleset_is_named_in_its_own_files_only() -> None:
    for path in FOLDER.iterdir():
        for ruleset in rulesets():
            if path.stem != ruleset:
                assert ruleset not in path.read_text().lower(), path.name


def test_every_ruleset_has_its_files() -> None:
    for ruleset in rulesets():
        source = (FOLDER / f"{ruleset}.js").read_text()
        assert "export const folds" in source
        assert "export function findTargets" in source
        assert "export function guessCommand" in source
        assert (FOLDER / f"{ruleset}.json").is_file()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_can_be_read(dark: bool) -> None:
    """Contrast of at least 4.5 to 1, on every paper that a text may stand on."""
    light, night = (FOLDER / "style.css").read_text().split("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", night if dark else light))
    for tint in TINTS:
        for paper in PAPERS:
            assert contrast(colours[tint], colours[paper]) >= 4.5, (tint, paper)
    assert contrast(colours["on-main"], colours["main"]) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 has it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_files_are_packaged() -> None:
    described = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text())
    assert "web/*" in described["tool"]["setuptools"]["package-data"]["service"]
