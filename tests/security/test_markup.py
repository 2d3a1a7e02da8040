"""What people write is never taken for markup, a header or a line of a stream."""

from __future__ import annotations

import json
from contextlib import closing
from xml.etree import ElementTree

import pytest
from flask import Flask

from service.rules.ruleset import AnyRuleset, rulesets
from tests.api.http_client import Person, anybody

LAWS = list(rulesets().values())
NAMES = [
    '"><script>alert(1)</script>',
    "]]><svg onload=alert(1)>&lt;&amp;",
    "a\r\nSet-Cookie: a=b\r\n\r\n",
    "\n\ndata: {}\n\nid: 99\n\nevent: end",
    "\u2028\u2029\u202e\ufeff",
    "{0.__class__} {seat} %s %(seat)s",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "law",
    [LAWS[0], *(pytest.param(law, marks=pytest.mark.long) for law in LAWS[1:])],
    ids=lambda law: law.id,
)
def test_names_stay_text(app: Flask, law: AnyRuleset, name: str) -> None:
    ana = anybody(app)
    count = min(law.seats)
    made = ana.create(*["human"] * count, ruleset=law.id)
    path = f"/v1/games/{made['game']['id']}"
    for each in made["claim_codes"]:
        claim = {"claim_code": each["claim_code"], "name": name}
        taken = ana.post(f"{path}/seats/{each['seat']}", claim)
        assert "Set-Cookie" not in taken.headers
        assert taken.status_code == 201
    picture = ana.get(f"{path}/board.svg?moves=true")
    tree = ElementTree.fromstring(picture.data)
    for element in tree.iter():
        tag = element.tag.rpartition("}")[2]
        assert tag not in ("script", "foreignObject", "iframe", "animate", "set")
        for attribute, value in element.attrib.items():
            assert not attribute.lower().startswith("on")
            assert "javascript:" not in value.lower()
    assert picture.headers["Content-Security-Policy"].startswith("default-src 'none'")
    view = ana.get(path)
    assert view.mimetype == "application/json"
    assert {seat["name"] for seat in (view.json or {})["seats"]} == {name}
    check_stream(ana, path, (view.json or {})["version"])


def check_stream(person: Person, path: str, version: int) -> None:
    """Asserts that the stream has one message for each event, each of plain JSON."""
    headers = {"Accept": "text/event-stream"}
    told = b""
    with closing(person.client.get(f"{path}/events", headers=headers)) as answer:
        for part in answer.response:
            told += bytes(part)  # type: ignore[arg-type]
            if b"id: %d\n" % version in told:
                break
    messages = [each for each in told.decode().split("\n\n") if "data: " in each]
    assert len(messages) == version
    for number, message in enumerate(messages, start=1):
        first, second = message.split("\n")
        assert first == f"id: {number}"
        assert json.loads(second.removeprefix("data: "))["version"] == number
