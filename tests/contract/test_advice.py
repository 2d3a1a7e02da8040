"""Advice of the running service: asked over HTTP, thought out by its worker, played."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from tests.api.http_client import check_answer


@pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
def test_what_is_advised_is_accepted(url: str, ruleset: AnyRuleset) -> None:
    headers = {"Authorization": f"Bearer {new_token().text}"}
    with httpx.Client(base_url=url, headers=headers, timeout=20) as client:

        def ask(method: str, path: str, body: Any = None) -> httpx.Response:
            answer = client.request(method, path, json=body)
            kind = answer.headers.get("Content-Type", "").partition(";")[0] or None
            check_answer(method, path, answer.status_code, kind, answer.content, answer.headers)
            return answer

        seats = [{"kind": "human"}] + [{"kind": "bot"}] * (min(ruleset.seats) - 1)
        made = ask("POST", "/v1/games", {"ruleset": ruleset.id, "seats": seats}).json()
        links = made["game"]["links"]
        claim = {"claim_code": made["claim_codes"][0]["claim_code"], "name": "Ana"}
        ask("POST", f"{links['self']}/seats/0", claim)
        limit = time.monotonic() + 60
        while not (moves := ask("GET", links["moves"]).json()["moves"]):
            assert time.monotonic() < limit
            time.sleep(0.05)
        asked = ask("POST", links["analyses"], {"top": 2})
        assert asked.status_code == 202
        where = asked.headers["Location"]
        while (found := ask("GET", where).json())["status"] == "waiting":
            assert time.monotonic() < limit
            time.sleep(0.05)
        assert found["status"] == "done"
        known = [{"seat": move["seat"], "command": move["command"]} for move in moves]
        bodies = [{"seat": each["seat"], "command": each["command"]} for each in found["ranked"]]
        assert all(body in known for body in bodies)
        for body in reversed(bodies):
            tried = ask("POST", f"{links['commands']}?dry_run=true", body)
            assert tried.status_code == 200
        assert ask("POST", links["commands"], bodies[0]).status_code == 201
        assert 'bailli_analyses_total{outcome="done"}' in client.get("/metrics").text
