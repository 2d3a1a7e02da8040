"""What README and docs show is run: all blocks of one language on a page are one program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from service.config import RATE_LIMITED, Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SERVICE = "http://127.0.0.1:8000"
BOT = (ROOT / "examples" / "bot.py").read_text()
PROGRAMS = ("python", "sh", "js")
SHOWN = {
    "json": "vectors of chance, which tests/rules/test_chance.py reads",
    "ini": "a unit of systemd, which is not where tests run",
    "nginx": "a part of a proxy's settings",
}
"""Languages of fenced blocks that are only read, and why."""
INDENTED = {
    "make install": "builds an environment and runs until it is stopped; tests/cli does the latter",
    "git pull": "an upgrade: changes the checkout",
    "docker build": "needs Docker",
    "openapi-python-client": "tests/examples/test_typed.py does it",
    "bailli verify BRANCH.json": "names stand for files; tests/cli verifies",
    "chance id (ASCII)": "a formula",
    "commitment =": "a formula",
    '{"seat": 0, "bank"': "part of an answer",
    "id: 17": "part of a stream",
    "POST /v1/games/{game}/webhooks": "a request in short; test_receive_webhook.py sends it",
    '{"type": "seat.to_act"': "what is sent to a hook, cut",
    "POST /v1/games/{id}/analyses": "a request in short; concepts.md asks for advice",
    '"simulations": 40': "part of an answer",
    '{"version": 17': "part of an event, cut",
    "bailli slots 3": "names stand for servers; tests/store starts a cluster",
    "kubectl apply": "needs Kubernetes; tests/contract/test_kubernetes.py checks the manifests",
    '{"event":"answered"': "a line of a log",
    "jq -c": "needs a log; tests/live/test_traces.py looks for the same",
    "$ bailli doctor": "what it says of a deployment that is not well; tests/cli has some",
}
"""How blocks begin that are only shown, and why they are not run."""


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Languages and texts of a page's fenced blocks."""
    for token in MarkdownIt("commonmark").parse(page.read_text()):
        if token.type == "fence":
            yield token.info, token.content


def indented(page: Path) -> list[str]:
    """A page's indented blocks: what is only shown."""
    tokens = MarkdownIt("commonmark").parse(page.read_text())
    return [token.content for token in tokens if token.type == "code_block"]


def program(page: Path, language: str) -> str:
    """A page's blocks of a language as one program; without the bot, which is a file of its own."""
    return "\n".join(text for found, text in blocks(page) if found == language and text != BOT)


def having(*languages: str) -> list[object]:
    """The pages that have programs in one of some languages."""
    found = [page for page in PAGES if any(program(page, each) for each in languages)]
    return [pytest.param(page, id=page.name) for page in found]


def run(words: list[str], text: str, file: Path) -> str:
    """What a program prints that is written to a file."""
    file.write_text(text)
    done = subprocess.run(
        [*words, str(file)],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("page", having("python", "sh"))
def test_python_and_shell_run(page: Path, url: str, tmp_path: Path) -> None:
    """Shell runs last: it may use what Python has written."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    python = program(page, "python").replace(SERVICE, url)
    if python:
        run([sys.executable, "-S"], python, tmp_path / "program.py")
    shell = program(page, "sh").replace(SERVICE, url)
    if shell:
        for needed in ("bash", "curl"):
            if shutil.which(needed) is None:
                pytest.skip(f"{needed} is not installed")
        printed = run(["bash", "-euo", "pipefail"], shell, tmp_path / "program.sh")
        wrong = re.findall(r'"code":"(\w+)"', printed)
        assert wrong == ["undo_not_asked"] * ('"accept_undo"' in shell), printed


@pytest.mark.parametrize("page", having("js"))
def test_javascript_runs(page: Path, url: str, tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    printed = run(["node"], program(page, "js").replace(SERVICE, url), tmp_path / "program.mjs")
    assert printed


def test_the_front_door_is_six_requests() -> None:
    assert len(re.findall(r"\bcall ", program(ROOT / "README.md", "sh"))) == 6


def test_the_bot_that_is_explained_is_the_one_that_runs() -> None:
    assert ("python", BOT) in blocks(ROOT / "docs" / "write-a-bot.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_run_or_only_read(page: Path) -> None:
    for language, text in blocks(page):
        assert language in {*PROGRAMS, *SHOWN}
        if language == "json":
            json.loads(text)
    for text in indented(page):
        assert [begin for begin in INDENTED if text.startswith(begin)], text


def test_what_is_left_out_is_there() -> None:
    """Reasons are given for blocks that exist, and for none that could be run."""
    shown = [text for page in PAGES for text in indented(page)]
    for begin in INDENTED:
        assert any(text.startswith(begin) for text in shown), begin
    found = {language for page in PAGES for language, _ in blocks(page)}
    assert found == {*PROGRAMS, *SHOWN}


def test_all_settings_are_told() -> None:
    """hosting.md has every variable with its default, and no other."""
    text = (ROOT / "docs" / "hosting.md").read_text()
    table = text[text.index("## Settings") :]
    rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \| [^|]* \|$", table, re.M)
    told = {
        name: default.strip("`")
        for names, defaults in rows
        for name, default in zip(names.strip("`").split("`, `"), defaults.split(", "), strict=True)
    }
    asked = Asked()
    settings = Settings.from_environment(asked)
    assert set(told) == asked.names
    for name, default in told.items():
        if default.isdigit():
            field = name.removeprefix("BAILLI_").lower()
            assert int(getattr(settings, field)) == int(default), name
    assert {f"BAILLI_RATE_{what.upper()}" for what in RATE_LIMITED} <= set(told)


class Asked(dict[str, str]):
    """An environment without variables that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        self.names.add(name)
        return default
