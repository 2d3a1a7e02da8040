#!/usr/bin/env python3
"""Plays a whole game against bots over HTTP, with nothing but Python's standard library.

    python examples/play.py [http://127.0.0.1:8000 [RULESET [FILE]]]

FILE keeps the client's token, which the client makes itself. Started again with the same FILE, it
goes on with the same game, wherever it was stopped: laying the table and taking the seat are
repeated under the same keys and have no second effect. `choose` is what plays; make it better.
"""

import json
import os
import random
import secrets
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

TRIES = 8
WAIT = 20  # seconds that a request may be held until there is something to tell


class Client:
    """A client of the service: its token is who it is."""

    def __init__(self, service, token):
        self.service, self.token = service.rstrip("/"), token

    def ask(self, path, body=None, **headers):
        """Returns status, ETag and JSON of an answer. Repeats the request until one comes.

        With an Idempotency-Key that is safe for any request: it has one effect.
        """
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(TRIES):
            request = urllib.request.Request(self.service + path, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=WAIT + 10) as answer:
                    return answer.status, answer.headers["ETag"], json.load(answer)
            except urllib.error.HTTPError as problem:
                with problem:
                    told = json.load(problem)
                if problem.code in (409, 412):  # not legal now; no longer at this version
                    return problem.code, None, told
                if problem.code not in (429, 503):
                    raise SystemExit(f"{told['code']}: {told['detail']}") from None
                time.sleep(int(problem.headers.get("Retry-After", 2**attempt)))
            except (OSError, ValueError):  # no answer, or half of one: ask again
                time.sleep(0.1 * 2**attempt)
        raise SystemExit(f"{self.service} does not answer")


def choose(moves):
    """Returns one of the legal moves."""
    return random.choice(moves)


def sit_down(client, ruleset=None):
    """Lays a table with bots and takes its first seat; returns the game's path."""
    known = {each["id"]: each for each in client.ask("/v1/rulesets")[2]["rulesets"]}
    law = known[ruleset or next(iter(known))]
    seats = [{"kind": "human"}] + [{"kind": "bot", "level": "easy"}] * (law["seats"][0] - 1)
    body = {"ruleset": law["id"], "seats": seats}
    _, _, made = client.ask("/v1/games", body, Idempotency_Key="lay")
    game = made["game"]["links"]["self"]
    (code,) = made["claim_codes"]
    claim = {"claim_code": code["claim_code"], "name": "example"}
    client.ask(f"{game}/seats/{code['seat']}", claim, Idempotency_Key="sit")
    return game


def play(client, game):
    """Plays the client's seats until the game is over; yields the text of each move made."""
    while True:
        _, tag, now = client.ask(f"{game}/moves")
        if now["moves"]:
            move = choose(now["moves"])
            body = {"seat": move["seat"], "command": move["command"]}
            # One key a move: if the answer is lost, the request is repeated and has one effect.
            key = secrets.token_hex(8)
            status, _, _ = client.ask(f"{game}/commands", body, If_Match=tag, Idempotency_Key=key)
            if status == 201:  # else the game has moved on: look again
                yield move["text"]
        elif now["reason"] == "game_over":
            return
        else:  # somebody else's turn: be told when something happens
            client.ask(f"{game}/events?after={now['version']}", Prefer=f"wait={WAIT}")


def kept_token(file=None):
    """Returns the token kept in a file, or a new one, kept there from now on."""
    if file is not None and Path(file).exists():
        return Path(file).read_text().strip()
    token = "bl_" + secrets.token_urlsafe(32)
    if file is not None:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:
            kept.write(token + "\n")
    return token


def main(service="http://127.0.0.1:8000", ruleset=None, file=None):
    client = Client(service, kept_token(file))
    game = sit_down(client, ruleset)
    print(service.rstrip("/") + game)
    for text in play(client, game):
        print(text, flush=True)
    for seat in client.ask(f"{game}/score")[2]["seats"]:
        print(f"seat {seat['seat']}: {seat['total']} points, rank {seat['rank']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
