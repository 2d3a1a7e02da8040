#!/usr/bin/env python3
"""Plays a whole game against bots over HTTP, with Python's standard library alone.

    python examples/play.py [http://127.0.0.1:8000 [RULESET [FILE]]]

FILE stores the client's token, which the client generates itself. Started again with the same FILE,
it resumes the same game: creating the game and claiming the seat are repeated with the same keys
and have no second effect. `choose` picks the moves; make it better.
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
WAIT = 20  # seconds that a request may be held until there is something to return


class Client:
    """A client of the service, identified by its token."""

    def __init__(self, service, token):
        self.service, self.token = service.rstrip("/"), token

    def call(self, path, body=None, **headers):
        """Returns status, ETag and JSON of the response. Repeats the request until there is one.

        With an Idempotency-Key that is safe for any request: it takes effect once.
        """
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(TRIES):
            request = urllib.request.Request(self.service + path, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=WAIT + 10) as response:
                    return response.status, response.headers["ETag"], json.load(response)
            except urllib.error.HTTPError as problem:
                with problem:
                    details = json.load(problem)
                if problem.code in (409, 412):  # not legal now; no longer at this version
                    return problem.code, None, details
                if problem.code not in (429, 503):
                    raise SystemExit(f"{details['code']}: {details['detail']}") from None
                time.sleep(int(problem.headers.get("Retry-After", 2**attempt)))
            except (OSError, ValueError):  # no response, or half of one: repeat
                time.sleep(0.1 * 2**attempt)
        raise SystemExit(f"{self.service} does not respond")


def choose(moves):
    """Returns one of the legal moves."""
    return random.choice(moves)


def join_game(client, ruleset=None):
    """Creates a game with bots and claims its first seat; returns the game's path."""
    known = {each["id"]: each for each in client.call("/v1/rulesets")[2]["rulesets"]}
    chosen = known[ruleset or next(iter(known))]
    seats = [{"kind": "human"}] + [{"kind": "bot", "level": "easy"}] * (chosen["seats"][0] - 1)
    body = {"ruleset": chosen["id"], "seats": seats}
    _, _, created = client.call("/v1/games", body, Idempotency_Key="create")
    game = created["game"]["links"]["self"]
    (code,) = created["claim_codes"]
    claim = {"claim_code": code["claim_code"], "name": "example"}
    client.call(f"{game}/seats/{code['seat']}", claim, Idempotency_Key="claim")
    return game


def play(client, game):
    """Plays the client's seats until the game is over; yields the text of each move made."""
    while True:
        _, tag, now = client.call(f"{game}/moves")
        if now["moves"]:
            move = choose(now["moves"])
            body = {"seat": move["seat"], "command": move["command"]}
            # One key per move: if the response is lost, the repeated request has no second effect.
            key = secrets.token_hex(8)
            status, _, _ = client.call(f"{game}/commands", body, If_Match=tag, Idempotency_Key=key)
            if status == 201:  # else the game has moved on: look again
                yield move["text"]
        elif now["reason"] == "game_over":
            return
        else:  # somebody else's turn: wait until something happens
            client.call(f"{game}/events?after={now['version']}", Prefer=f"wait={WAIT}")


def load_token(file=None):
    """Returns the token stored in a file, or a new one, which is then stored there."""
    if file is not None and Path(file).exists():
        return Path(file).read_text().strip()
    token = "bl_" + secrets.token_urlsafe(32)
    if file is not None:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(token + "\n")
    return token


def main(service="http://127.0.0.1:8000", ruleset=None, file=None):
    client = Client(service, load_token(file))
    game = join_game(client, ruleset)
    print(service.rstrip("/") + game)
    for text in play(client, game):
        print(text, flush=True)
    for seat in client.call(f"{game}/score")[2]["seats"]:
        print(f"seat {seat['seat']}: {seat['total']} points, rank {seat['rank']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
