"""The whole service as it runs, talkative: no secret is in what it writes down for people."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from redis import Redis

from service.games.tokens import new_token
from service.store import partition
from service.store.redis_store import open_store
from tests.api.http_client import RULESET, SEATS
from tests.contract.running import running
from tests.workers.receiver import receiving

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
TALKATIVE = """
import logging
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
"""
WANTED = {"ruleset": RULESET.id, "seats": [{"kind": "human"}] * SEATS}


class Place(NamedTuple):
    """A running service: where it is, and where it keeps its files."""

    url: str
    folder: Path

    @property
    def server(self) -> str:
        return f"unix://{self.folder}/redis.sock"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A service all of whose processes write down whatever anything in them has to say."""
    folder, talk = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("talk")
    (talk / "sitecustomize.py").write_text(TALKATIVE)
    with running(
        folder,
        PYTHONPATH=f"{talk}:{ROOT}",
        GUNICORN_CMD_ARGS="--log-level debug --access-logfile -",
        BAILLI_HOOKS_LOCAL="1",
        BAILLI_WEB_WORKERS="1",
    ) as url:
        yield Place(url, folder)


class Busy:
    """A client that does everything, and notes every secret it gets or sends."""

    def __init__(self, place: Place, client: httpx.Client) -> None:
        self.place = place
        self.client = client
        self.secrets: set[str] = set()
        self.games: list[str] = []
        self.token = self.secret(new_token().text)

    def secret(self, text: str) -> str:
        self.secrets.add(text)
        return text

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        """Sends a request; notes what of the answer is secret. Returns the answer's JSON."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers["Authorization"] = f"Bearer {token or self.token}"
        answer = self.client.request(method, path, json=body, headers=headers)
        told = answer.json() if answer.content and answer.text[:1] == "{" else {}
        for text in re.findall(r'"((?:b[clw]_|whsec_)[^"]{20,})"', answer.text):
            self.secret(text)
        return told

    def lay(self, **more: Any) -> Any:
        made = self.ask("POST", "/v1/games", {**WANTED, **more})
        self.games.append(made["game"]["id"])
        return made

    def seeds(self) -> None:
        """Notes what is sealed in the games."""
        store = open_store(self.place.server)
        with closing(store):
            for game in self.games:
                created = json.loads(store.read(game, last=1).entries[0].data)
                found = created["sealed_chance"]
                self.secret(found.get("seed") or found["bits"])


def everything(busy: Busy, hook: str) -> str:
    """Does all that has to do with secrets. Returns the id of a game that bots play to its end."""
    made = busy.lay(visibility="private")
    path = f"/v1/games/{made['game']['id']}"
    other = busy.secret(new_token().text)
    for each in made["claim_codes"]:
        claim = {"claim_code": each["claim_code"], "name": "Ana", "entropy": "e"}
        seat = f"{path}/seats/{each['seat']}"
        busy.ask("POST", seat, {**claim, "claim_code": busy.secret("bc_" + "R" * 43)})
        busy.ask("POST", seat, claim, token=other if each["seat"] else "", Idempotency_Key="k")
    for watcher in (made["watch_code"], busy.secret("bw_" + "Q" * 43), busy.token[:-1], "nothing"):
        busy.ask("GET", path, token=watcher)
    added = busy.ask("POST", f"{path}/webhooks", {"url": hook})["webhook"]["links"]
    busy.ask("POST", f"{path}/webhooks", {"url": "http://127.0.0.1:9/" + busy.secret("x" * 40)})
    busy.ask("POST", added["rotate"], {"secret": busy.secret("whsec_" + "B" * 40)})
    move = (
        busy.ask("GET", f"{path}/moves")["moves"]
        or busy.ask("GET", f"{path}/moves", token=other)["moves"]
    )
    for token in (busy.token, other):
        sent = {"seat": move[0]["seat"], "command": move[0]["command"]}
        busy.ask("POST", f"{path}/commands?dry_run=true", sent, token=token)
        busy.ask("POST", f"{path}/commands", sent, token=token, If_Match="*")
    busy.ask("POST", f"{path}/commands", {"command": {"type": "hand_over"}}, token=other)
    fork = busy.ask("POST", f"{path}/forks", {})
    laid = busy.ask("POST", "/v1/tournaments", {**WANTED, "tables": 2})
    busy.games += [fork["game"]["id"], *(each["game"] for each in laid["tables"])]
    new = busy.secret(new_token().text)
    busy.ask("POST", "/v1/tokens/rotate", {"token": new})
    busy.ask("POST", "/v1/tokens/rotate", {"token": new}, token="")
    busy.token = new
    nobodys = busy.client.post("/v1/games", json=WANTED).json()
    busy.secret(nobodys["token"])
    busy.games.append(nobodys["game"]["id"])
    bots = [{"kind": "bot", "level": "random"}] * SEATS
    played: str = busy.lay(seats=bots)["game"]["id"]
    busy.seeds()
    broken = nobodys["game"]["id"]
    with Redis.from_url(busy.place.server) as server:
        key = f"{{{partition(broken)}}}:{broken}:events"
        server.xadd(key, {"t": "x", "v": 1, "d": b"{}", "m": b"", "h": b"\0" * 32}, id="99999-0")
    assert busy.ask("GET", f"/v1/games/{broken}", token=new)["code"] == "internal"
    for tail in ("/moves", "/events", "/score"):
        busy.ask("GET", f"/v1/games/{broken}{tail}", token=new)
    return played


def test_no_secret_is_written_down(place: Place) -> None:
    """Tokens, codes, secrets, seeds, their hashes: not in any log, nor in the counters."""
    with receiving() as receiver, httpx.Client(base_url=place.url, timeout=20) as client:
        busy = Busy(place, client)
        hook = receiver.url + "/" + busy.secret("hookpath" + "z" * 30)
        game = everything(busy, hook)
        limit = time.monotonic() + 60
        while busy.ask("GET", f"/v1/games/{game}")["status"] != "finished" or not receiver.got:
            assert time.monotonic() < limit
            time.sleep(0.1)
        record = busy.ask("GET", f"/v1/games/{game}/record")
        where = busy.ask("POST", "/v1/records", record)["links"]["self"]
        while busy.ask("GET", where)["status"] == "waiting":
            assert time.monotonic() < limit
            time.sleep(0.1)
        counters = client.get("/metrics").text
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    kept = [path for path in files if "appendonlydir" not in path.parts and path.suffix != ".rdb"]
    written = {path: path.read_bytes().decode("latin-1") for path in kept}
    log = written[place.folder / "log"]
    assert place.folder / "redis" / "server.log" in written
    # It does write down a lot, of every process.
    assert log.count("DEBUG") > 20
    assert f"/v1/games/{game}" in log
    assert "service.store.values.Corrupt: " in log
    assert "DEBUG rq.queue" in log
    assert "INFO workers.webhooks.delivery" in log
    assert "bailli_requests_total" in counters
    assert len(busy.secrets) > 25
    hidden = {each for secret in busy.secrets for each in (secret, *_hashes(secret))}
    for path, text in {**written, Path("/metrics"): counters}.items():
        assert not [each for each in hidden if each in text], path


def _hashes(secret: str) -> tuple[str, str]:
    """What else would give a secret away: its hash, and itself without what it begins with."""
    return hashlib.sha256(secret.encode()).hexdigest(), secret.partition("_")[2] or secret


@pytest.mark.parametrize(
    "headers",
    [{"X-Long": "x" * 9_000}, {f"X-{number}": "x" for number in range(70)}],
    ids=["a long one", "many"],
)
def test_headers_have_an_end(place: Place, headers: dict[str, str]) -> None:
    with closing(http.client.HTTPConnection(urlsplit(place.url).netloc, timeout=20)) as connection:
        connection.request("GET", "/livez", headers=headers)
        assert 400 <= connection.getresponse().status < 500
    with httpx.Client(base_url=place.url) as client:
        assert client.get("/livez").status_code == 200


@pytest.mark.parametrize(
    "lines",
    [
        ["POST /v1/games HTTP/1.1", "Host: a", "Content-Length: 5", "Transfer-Encoding: chunked"],
        ["POST /v1/games HTTP/1.1", "Host: a", "Content-Length: 5", "Content-Length: 6"],
        ["POST /v1/games HTTP/1.1", "Host: a", "Content-Length: -5"],
        ["POST /v1/games HTTP/1.1", "Host: a", "Content-Length: 5_0"],
        ["POST /v1/games HTTP/1.1", "Host: a", "Transfer-Encoding: chunked, identity"],
        ["POST /v1/games HTTP/1.1", "Host: a", "X : y"],
        ["GET http://\xff/ HTTP/9.9", "Host: a"],
        ["G\0T / HTTP/1.1", "Host: a"],
    ],
    ids=lambda lines: lines[-1].replace("\0", "0"),
)
def test_requests_with_two_meanings_are_refused(place: Place, lines: list[str]) -> None:
    """Whatever stands in front of the service must not read a request otherwise than it does."""
    import socket  # noqa: PLC0415

    where = urlsplit(place.url)
    with socket.create_connection((where.hostname, where.port), 20) as connection:
        connection.sendall("\r\n".join([*lines, "", "12345"]).encode("latin-1"))
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert answer == b"" or answer.split()[1][:1] == b"4", answer
    assert answer.count(b"HTTP/1.1") <= 1
