"""Somebody at the page: looks, clicks, waits for what comes."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx

from service.rules.ruleset import AnyRuleset

from .browser import Browser

TABLE = "document.querySelector('#table')"
ROOT = "document.querySelector('#picture').shadowRoot"
DUE = (
    f"{TABLE}?.dataset.status && !{TABLE}.classList.contains('sending') &&"
    f" ({TABLE}.dataset.status !== 'playing' || {TABLE}.dataset.moves > 0)"
)


class Visitor:
    """A person with a browser."""

    def __init__(self, browser: Browser, url: str, seed: int = 1) -> None:
        self.page = browser.page()
        self.url = url
        self.random = random.Random(seed)
        self.page.looks(1280, 900)

    def open(self, where: str = "") -> None:
        """Opens the page at an address after #."""
        self.page.go(f"{self.url}/{where}")

    def create(
        self,
        ruleset: AnyRuleset,
        name: str = "Ana",
        second: str = "random",
        *,
        private: bool = False,
        few: int = 0,
    ) -> str:
        """Creates a game with the lobby's form and returns its id.

        `second` is who has the second seat: a bot's level, "here" or "open". Of the things that
        the options count, the first `few` kinds come once and no others do.
        """
        self.open()
        page = self.page
        page.until(f"document.querySelector('input[value={ruleset.id}]')")
        page.run(f"document.querySelector('input[value={ruleset.id}]').click()")
        page.until(f"document.querySelector('form a[href^=\"/docs/rules/{ruleset.id}\"]')")
        page.run(
            "(() => { const [first, other] = document.querySelectorAll('.seat');"
            f" first.querySelector('input').value = {json.dumps(name)};"
            f" other.querySelector('select').value = '{second}';"
            f" document.querySelector('#private').checked = {json.dumps(private)};"
            " for (const input of [...document.querySelectorAll('.counts input')]"
            f".slice(0, {few})) input.value = 1; }})()"
        )
        page.click("document.querySelector('#create')")
        page.until(f"{TABLE}?.dataset.version")
        game = page.run("location.hash.slice(4)")
        assert isinstance(game, str)
        return game

    def state(self) -> dict[str, str]:
        """What the table says of itself: version, status, shown, moves."""
        told: dict[str, str] = self.page.run(f"({{...{TABLE}.dataset}})")
        return told

    def due(self) -> bool:
        """Waits until this person may move; returns whether the game still goes on."""
        self.page.until(DUE)
        return self.state()["status"] == "playing"

    def move(self) -> None:
        """Makes any of the moves that are listed, and waits until it is done."""
        before = int(self.state()["version"])
        chosen = self.random.random()
        self.page.run(
            "(() => { const moves = [...document.querySelectorAll('#moves .move')];"
            f" moves[Math.floor({chosen} * moves.length)].click(); }})()"
        )
        self.page.until(f"{TABLE}.dataset.version > {before}")

    def game(self) -> str:
        """What the API knows of the game that is shown, as JSON; for people to read."""
        where = str(self.page.run("location.hash"))
        if not where.startswith("#/g/"):
            return where
        game = f"/v1/games/{where[4:30]}"
        try:
            with self.asks() as client:
                told = [client.get(path).text for path in (game, f"{game}/moves")]
        except httpx.HTTPError as fault:
            return repr(fault)
        return "\n".join(each[:3000] for each in told)

    def asks(self) -> httpx.Client:
        """A client of the API with this person's token."""
        token = self.page.run("localStorage.getItem('bailli.token')")
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=20
        )

    def says(self, selector: str) -> str:
        """The text of what a selector finds."""
        text: str = self.page.run(
            f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"
        )
        return text

    def script(self, text: str) -> Any:
        """The value of an expression."""
        return self.page.run(text)
