"""deploy/grafana.json asks for nothing that the counters do not have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask import Flask
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from service.api.http.metrics import StoreCounters
from service.app import create_app
from service.config import Settings
from service.games.webhooks import counters as webhook_counters
from service.store import MemoryStore
from workers import expiry, metrics

PATH = Path(__file__).parents[2] / "deploy" / "grafana.json"
DASHBOARD: dict[str, Any] = json.loads(PATH.read_text())
NAME = re.compile(r"\bbailli_\w+")


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[str]:
    for panel in panels():
        for target in panel["targets"]:
            yield target["expr"]


def known() -> dict[str, set[str]]:
    """Every series that the service and its workers have, and its labels."""
    shared = CollectorRegistry()
    store = MemoryStore()
    store.add_counts(webhook_counters.attempt_counts("delivered", False, 5))
    store.add_counts(webhook_counters.disabling_counts("gone"))
    shared.register(StoreCounters(store))
    assert metrics.RECORDS_JUDGED
    assert expiry.LAG
    found: dict[str, set[str]] = {}
    for registry in (REGISTRY, shared):
        for family in registry.collect():
            ends = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
            for end in ends.get(family.type, [""]):
                found[family.name + end] = {"le"} if end == "_bucket" else set()
    for collector in REGISTRY._collector_to_names:
        for name in REGISTRY._collector_to_names[collector]:
            if name in found:
                found[name] |= set(getattr(collector, "_labelnames", ()))
    for family in shared.collect():
        for sample in family.samples:
            found[sample.name] |= set(sample.labels)
    return found


def test_every_series_exists_with_its_labels() -> None:
    series = known()
    asked = set()
    for text in expressions():
        names = NAME.findall(text)
        assert names, text
        for name in names:
            assert name in series, name
        labels = {
            label.strip() for by in re.findall(r"by \(([^)]*)\)", text) for label in by.split(",")
        } | set(re.findall(r"(\w+)=~?\"", text))
        for label in labels:
            assert all(label in series[name] for name in names), (label, text)
        asked |= set(names)
    ours = {name for name in series if name.startswith("bailli_")}
    shown = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in asked}
    assert {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in ours} == shown


def test_what_is_served_has_the_names(tmp_path: Path) -> None:
    """As Prometheus reads them."""
    app: Flask = create_app(Settings(), MemoryStore())
    client = app.test_client()
    client.get("/livez")
    text = client.get("/metrics").text
    served = {
        sample.name for family in text_string_to_metric_families(text) for sample in family.samples
    }
    wanted = {"bailli_requests_total", "bailli_request_seconds_bucket", "bailli_hook_retries_total"}
    assert wanted <= served
    operations = set(re.findall(r'operation="([^"]+)"', " ".join(expressions())))
    assert operations
    assert operations <= set(app.view_functions)


def test_panels_have_titles_and_places_of_their_own() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert all(x < 24 for x, _ in cells)
        taken |= cells
    for panel in panels():
        assert panel["title"]
        assert panel["description"]
        assert panel["datasource"]["uid"] == "${source}"
    assert [each["name"] for each in DASHBOARD["templating"]["list"]] == ["source"]
