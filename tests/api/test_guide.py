"""The guide as it is served, and every link and anchor of it, of README and of the rule books."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markdown_it import MarkdownIt

from service.api.docs import guide
from service.api.http import languages
from service.api.http.problems import PROBLEM_TYPES, PROBLEMS_PATH
from service.games.table import rule_book as table_rule_book
from service.rules.ruleset import rulesets

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "tests" / "golden" / "README.md",
]
PAGES = [
    "/docs",
    PROBLEMS_PATH,
    *(f"/docs/{name}" for name in sorted(guide.page_names())),
    *(f"/docs/rules/{name}" for name in ("table", *rulesets())),
]
LINK = re.compile(r'(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')


@functools.cache
def rendered(path: Path) -> str:
    """A file as a code host shows it; headings have anchors."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(path.read_text())
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", guide.anchor(tokens[place + 1].content))
    return str(markdown.renderer.render(tokens, markdown.options, {}))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_files_lead_somewhere(path: Path) -> None:
    text = rendered(path)
    anchors = ID.findall(text)
    if path.parent.name != "rules":  # two structures of a book may share a name with an event
        assert len(anchors) == len(set(anchors))
    for link in LINK.findall(text):
        name, fragment = urldefrag(link)
        if urlsplit(link).scheme:
            assert link.startswith("https://"), link
            continue
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT)
        if fragment:
            assert fragment in ID.findall(rendered(target)), link


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(client: FlaskClient, page: str) -> None:
    shown = client.get(page)
    assert shown.status_code == 200
    assert shown.mimetype == "text/html"
    anchors = ID.findall(shown.text)
    assert len(anchors) == len(set(anchors))
    for link in LINK.findall(shown.text):
        if urlsplit(link).scheme:
            continue
        name, fragment = urldefrag(urljoin(page, link))
        with client.get(name) as target:
            assert target.status_code == 200, link
            if fragment:
                assert fragment in ID.findall(target.text), link


def test_every_page_can_be_reached_from_the_index(client: FlaskClient) -> None:
    links = {urldefrag(link)[0] for link in LINK.findall(client.get("/docs/guide").text)}
    assert {f"/docs/{name}" for name in guide.page_names()} <= links
    assert "/openapi.yaml" in links
    examples = {f"/docs/examples/{path.name}" for path in (ROOT / "examples").glob("*.*")}
    assert examples <= links


def test_problems_lead_to_the_anchors_that_pages_have(client: FlaskClient) -> None:
    assert set(ID.findall(client.get(PROBLEMS_PATH).text)) == set(PROBLEM_TYPES)


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("name", ["table", *rulesets()])
def test_rule_books_have_the_anchors_of_rules_in_every_language(
    client: FlaskClient, name: str, language: str
) -> None:
    """Where the `type` of a refusal leads: the rule's text, in the language of the reader."""
    rules = table_rule_book.RULES if name == "table" else rulesets()[name].rules
    page = client.get(f"/docs/rules/{name}", headers={"Accept-Language": language})
    assert page.headers["Content-Language"] == language
    assert f'<html lang="{language}">' in page.text
    further = [] if name == "table" else ["readings"]
    assert ID.findall(page.text) == [*(rule.id for rule in rules), *further]
    assert client.get(f"/docs/rules/{name}?lang={language}").text == page.text
    english = client.get(f"/docs/rules/{name}").text
    for rule in rules:
        text = page.text.partition(f'id="{rule.id}"')[2].partition("<h2")[0]
        same = english.partition(f'id="{rule.id}"')[2].partition("<h2")[0]
        assert len(text) > 20
        assert (text == same) == (language == languages.DEFAULT_LANGUAGE)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "/docs"])
def test_pages_run_nothing(client: FlaskClient, page: str) -> None:
    shown = client.get(page)
    policy = shown.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "<script" not in shown.text
    assert not re.search(r"<[^>]+ (on\w+|style)=", shown.text)
    if page.removeprefix("/docs/") in guide.page_names():
        assert "script-src" not in policy
        assert "unsafe" not in policy


def test_files_are_text_whatever_they_are(client: FlaskClient) -> None:
    script = client.get("/docs/examples/play.mjs")
    assert script.mimetype == "text/plain"
    assert script.headers["X-Content-Type-Options"] == "nosniff"
    assert script.data == (ROOT / "examples" / "play.mjs").read_bytes()
    style = client.get("/docs/pages.css", buffered=True)
    assert style.mimetype == "text/css"
    style.close()


@pytest.mark.parametrize(
    "path",
    ["/docs/nothing", "/docs/README", "/docs/examples/nothing.py", "/docs/pictures/..%2Flive.md"],
)
def test_nothing_else_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_html_in_a_page_is_shown_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.md").write_text(
        "# A <b>title</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](a.png)\n"
    )
    monkeypatch.setattr(guide, "FOLDER", tmp_path)
    page = guide.render_page.__wrapped__("odd")
    assert "<script" not in page
    assert "<b>" not in page
    assert 'href="javascript' not in page
    assert 'src="/docs/a.png"' in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("live.md", "/docs/live"),
        ("README.md#clients", "/docs/guide#clients"),
        ("rules/table.md#t-8", "/docs/rules/table#T-8"),
        ("../examples/bot.py", "/docs/examples/bot.py"),
        ("../openapi.yaml", "/openapi.yaml"),
        ("pictures/one.svg", "/docs/pictures/one.svg"),
        ("#here", "#here"),
        ("https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_are_led_to_addresses(link: str, leads: str) -> None:
    assert guide.resolve_link(link) == leads
