"""Where the time of a command goes: each stage's own time, what it calls being taken off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from flask import Flask

from service.api import representations
from service.api.http import authentication, game_access, idempotency_key, request_parsing
from service.api.resources import commands
from service.app import create_app
from service.config import Settings
from service.games import due_work, index_lists
from service.games.commands import conflict_retry, handler, verdicts
from service.games.game import Game
from service.games.repository import Repository
from service.games.tokens import new_token
from service.rules.ruleset import rulesets
from service.store import MemoryStore

STAGES: list[tuple[str, Any, str]] = [
    ("token", authentication, "required_bearer_token"),
    ("which ruleset", game_access, "readable_ruleset_id"),
    ("JSON", request_parsing, "json_body"),
    ("shape", commands, "_load_commands"),
    ("conditions and key", idempotency_key, "request_context"),
    ("load", Repository, "load"),
    ("clone", Game, "clone"),
    ("law", verdicts, "judge_commands"),
    ("encode and hash", conflict_retry, "encode"),
    ("append", conflict_retry, "append_and_resolve"),
    ("due work", due_work, "due_changes"),
    ("indexes", index_lists, "index_change"),
    ("events", representations, "serialize_event"),
    ("response", commands, "json_response"),
    ("handler", handler.CommandHandler, "send"),
]


class Watch:
    """Own times of nested stages."""

    def __init__(self) -> None:
        self.own: dict[str, float] = {}
        self._inner = [0.0]

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            self._inner.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.perf_counter() - began
                self.own[name] = self.own.get(name, 0.0) + spent - self._inner.pop()
                self._inner[-1] += spent

        return call


@contextmanager
def watched(app: Flask) -> Iterator[Watch]:
    watch = Watch()
    with ExitStack() as stack:
        for name, place, attribute in STAGES:
            found = getattr(place, attribute)
            stack.enter_context(mock.patch.object(place, attribute, watch.wrapped(name, found)))
        endpoint = "commands.send_commands"
        before = app.view_functions[endpoint]
        app.view_functions[endpoint] = watch.wrapped("view function", before)
        app.after_request_funcs[None] = [
            watch.wrapped("headers and counters", each) for each in app.after_request_funcs[None]
        ]
        yield watch


def table(requests: int) -> list[str]:
    """Lines that tell each stage's share of a command's time."""
    token = new_token().text
    limits = Settings(rate_create=0, rate_claim=0)
    app = create_app(limits, MemoryStore())
    bare = Flask("bare")
    bare.add_url_rule("/hello", view_func=lambda: b"{}", methods=["POST"], endpoint="hello")
    client, plain = app.test_client(), bare.test_client()
    headers = {"Authorization": f"Bearer {token}"}
    ruleset = next(iter(rulesets().values()))
    total = flask = 0.0
    sums: dict[str, float] = {}
    path = ""
    sent = 0
    with watched(app) as watch:
        while sent < requests:
            moves = client.get(f"{path}/moves", headers=headers).json["moves"] if path else []  # type: ignore[index]
            if not moves:
                wanted = {"ruleset": ruleset.id, "seats": [{"kind": "human"}] * min(ruleset.seats)}
                made: Any = client.post("/v1/games", json=wanted, headers=headers).json
                path = made["game"]["links"]["self"]
                for each in made["claim_codes"]:
                    claim = {"claim_code": each["claim_code"], "name": "Ana"}
                    client.post(f"{path}/seats/{each['seat']}", json=claim, headers=headers)
                continue
            body = {"seat": moves[0]["seat"], "command": moves[0]["command"]}
            before = dict(watch.own)
            began = time.perf_counter()
            client.post(f"{path}/commands", json=body, headers=headers)
            total += time.perf_counter() - began
            for name, spent in watch.own.items():
                sums[name] = sums.get(name, 0.0) + spent - before.get(name, 0.0)
            began = time.perf_counter()
            plain.post("/hello", json=body, headers=headers)
            flask += time.perf_counter() - began
            sent += 1
    sums["Flask and the test client (a bare route)"] = flask
    lines = [f"{'stage':44}{'µs':>8}{'share':>8}"]
    for name, spent in sorted(sums.items(), key=lambda each: -each[1]):
        lines.append(f"{name:44}{1e6 * spent / sent:8.1f}{spent / total:8.0%}")
    explained = sum(sums.values())
    lines.append(f"{'explained':44}{1e6 * explained / sent:8.1f}{explained / total:8.0%}")
    lines.append(f"{'whole':44}{1e6 * total / sent:8.1f}{1:8.0%}")
    return lines
