"""What every answer has, the pages, the counters."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask, request

from service.api.http import descriptions
from service.api.live import draining
from service.app import create_app
from service.config import Settings, SettingsError
from service.store import MemoryStore
from tests.api.http_client import CONTRACT, Person


def test_a_request_keeps_its_id(app: Flask) -> None:
    nobody = Person(app)
    assert nobody.get("/livez", X_Request_Id="abc-1").headers["X-Request-Id"] == "abc-1"
    assert nobody.get("/livez", X_Request_Id="a b").headers["X-Request-Id"] != "a b"
    problem = nobody.get("/v1/turns", X_Request_Id="abc-2")
    assert (problem.json or {})["request_id"] == "abc-2"


def test_browsers_of_other_origins_may_call(app: Flask, game: str) -> None:
    preflight = Person(app).ask(
        "OPTIONS",
        f"/v1/games/{game}/commands",
        Origin="https://example.org",
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization, if-match",
    )
    assert preflight.status_code == 200
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert "If-Match" in preflight.headers["Access-Control-Allow-Headers"]
    assert "Idempotency-Key" in preflight.headers["Access-Control-Allow-Headers"]
    for answer in (preflight, Person(app).get(f"/v1/games/{game}"), Person(app).get("/nope")):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]


def test_answers_carry_no_scripts(app: Flask) -> None:
    assert "default-src 'none'" in Person(app).get("/livez").headers["Content-Security-Policy"]
    page = app.test_client().get("/docs")
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert "http" not in page.text.replace("http-equiv", "")


def test_the_docs_are_complete_and_offline(app: Flask) -> None:
    client = app.test_client()
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js", "favicon-32x32.png"):
        answer = client.get(f"/docs/{name}", buffered=True)
        assert answer.status_code == 200
        assert answer.data
        answer.close()
    assert client.get("/docs/../app.py").status_code == 404
    assert client.get("/docs/index.html").status_code == 404


def test_the_contract_is_served_as_it_is_kept(app: Flask) -> None:
    answer = app.test_client().get("/openapi.yaml")
    assert answer.mimetype == "application/yaml"
    assert answer.data == CONTRACT.read_bytes()


def test_the_root_says_where_to_begin(app: Flask) -> None:
    answer = Person(app).get("/")
    for path in (answer.json or {})["links"].values():
        assert app.test_client().get(path).status_code in (200, 401)


def test_counters_are_told(app: Flask) -> None:
    Person(app).get("/livez")
    answer = app.test_client().get("/metrics")
    assert answer.mimetype == "text/plain"
    assert 'bailli_requests_total{method="GET",operation="service.get_live"' in answer.text


def test_counters_of_several_processes_come_from_a_folder(
    tmp_path: Path, store: MemoryStore
) -> None:
    app = create_app(Settings(metrics=tmp_path), store)
    assert app.test_client().get("/metrics").status_code == 200


def test_head_is_get_without_a_body(app: Flask, game: str) -> None:
    answer = app.test_client().head(f"/v1/games/{game}")
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["ETag"]


def test_proxies_are_believed_only_when_told(store: MemoryStore) -> None:
    seen: list[str | None] = []
    for proxies in (0, 1):
        app = create_app(Settings(proxies=proxies), store)
        app.before_request(lambda: seen.append(request.remote_addr))
        app.test_client().get("/livez", headers={"X-Forwarded-For": "203.0.113.9"})
    assert seen == ["127.0.0.1", "203.0.113.9"]


def test_without_a_store_there_is_no_application() -> None:
    with pytest.raises(SettingsError, match="REDIS_URL"):
        create_app(Settings())


def test_values_are_shown_to_people() -> None:
    assert (
        descriptions.format_value(None)
        == descriptions.format_value(())
        == descriptions.format_value({})
        == "–"
    )
    assert descriptions.format_value({"wood": 2, "clay": 1}) == "2 × wood, 1 × clay"
    assert descriptions.format_value(["a", ["b", 3]]) == "a, b, 3"


def test_a_process_that_ends_is_not_ready(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = Person(app)
    assert nobody.get("/readyz").status_code == 200
    monkeypatch.setattr(draining._draining, "predicate", lambda: True)
    answer = nobody.get("/readyz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert nobody.get("/livez").status_code == 200, "it lives as long as it ends"
