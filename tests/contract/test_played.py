"""A person plays bots over real HTTP, with real workers, and proves the record."""

from __future__ import annotations

import random
import re
import time
from typing import Any

import httpx
import pytest

from service.games.records.verification import verify_record
from service.games.tokens import new_token
from service.rules.ruleset import AnyRuleset, rulesets
from tests.api.http_client import RULESET, SEATS, check_answer


@pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda ruleset: ruleset.id)
def test_a_game_is_played_to_its_proved_end(url: str, ruleset: AnyRuleset) -> None:
    headers = {"Authorization": f"Bearer {new_token().text}"}
    with httpx.Client(base_url=url, headers=headers, timeout=20) as client:

        def ask(method: str, path: str, body: Any = None, **more: str) -> httpx.Response:
            answer = client.request(method, path, json=body, headers=more)
            kind = answer.headers.get("Content-Type", "").partition(";")[0] or None
            check_answer(method, path, answer.status_code, kind, answer.content, answer.headers)
            return answer

        seats = [{"kind": "human"}] + [{"kind": "bot"}] * (min(ruleset.seats) - 1)
        made = ask("POST", "/v1/games", {"ruleset": ruleset.id, "seats": seats}).json()
        path = made["game"]["links"]["self"]
        ask(
            "POST",
            f"{path}/seats/0",
            {"claim_code": made["claim_codes"][0]["claim_code"], "name": "Ana"},
        )
        generator = random.Random(1)
        limit = time.monotonic() + 240
        while (seen := ask("GET", path).json())["status"] in ("playing", "scoring"):
            assert time.monotonic() < limit, seen
            listed = ask("GET", f"{path}/moves")
            moves = listed.json()["moves"]
            if not moves:
                time.sleep(0.02)
                continue
            found = generator.choice(moves)
            move = {"seat": found["seat"], "command": found["command"]}
            tag = listed.headers["ETag"]  # that of the moves: a bot may have moved since
            sent = ask("POST", f"{path}/commands", move, **{"If-Match": tag})
            assert sent.status_code in (201, 412)
        assert seen["status"] == "finished"
        score = ask("GET", f"{path}/score").json()
        assert score["final"]
        assert score["recorded"]
        record = ask("GET", f"{path}/record").json()
        verify_record(record)
        judged_before = judged(client)
        asked = ask("POST", "/v1/records", record)
        assert asked.status_code == 202
        where = asked.headers["Location"]
        while (told := ask("GET", where).json())["status"] == "waiting":
            assert time.monotonic() < limit, told
            time.sleep(0.1)
        assert told["status"] == "done", told
        while judged(client) != judged_before + 1:  # counted after it is written down
            assert time.monotonic() < limit
            time.sleep(0.1)
        assert ask("GET", told["links"]["game"]).json()["imported"]["game"] == seen["id"]
        again = ask("POST", f"{path}/rematch", {}).json()["game"]
        branch = ask("POST", f"{path}/forks", {"version": seen["version"] // 2})
        assert again["rematch_of"] == branch.json()["game"]["forked_from"]["game"] == seen["id"]


def judged(client: httpx.Client) -> float:
    """Returns how many records the service has judged to be right, as its counters say."""
    counted = re.findall(
        r'^bailli_records_judged_total\{outcome="done"\} (\S+)$',
        client.get("/metrics").text,
        re.MULTILINE,
    )
    return sum(map(float, counted))


def test_time_that_runs_out_is_measured(url: str) -> None:
    """The worker's counter is shown by the API."""
    headers = {"Authorization": f"Bearer {new_token().text}"}
    with httpx.Client(base_url=url, headers=headers, timeout=20) as client:
        seats = [{"kind": "human"}] + [{"kind": "bot", "level": "random"}] * (SEATS - 1)
        deadline = {"per_move_seconds": 1, "on_expiry": "bot", "level": "random"}
        asked = {"ruleset": RULESET.id, "seats": seats, "deadline": deadline}
        made = client.post("/v1/games", json=asked).json()
        path = made["game"]["links"]["self"]
        claim = {"claim_code": made["claim_codes"][0]["claim_code"], "name": "Ana"}
        assert client.post(f"{path}/seats/0", json=claim).status_code == 201
        limit = time.monotonic() + 60
        while 'bailli_deadlines_expired_total{following="bot"}' not in client.get("/metrics").text:
            assert time.monotonic() < limit
            time.sleep(0.1)
        assert client.get(path).json()["seats"][0]["kind"] == "bot"


def test_what_gunicorn_itself_refuses_is_no_crash(url: str) -> None:
    with httpx.Client(base_url=url) as client:
        assert client.get("/" + "a" * 9_000).status_code in (400, 404, 414)
        body = iter([b"x" * 40_000, b"x" * 40_000])
        answer = client.post(
            "/v1/games", content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 413
        assert answer.json()["code"] == "too_large"
        assert client.get("/livez").status_code == 200
