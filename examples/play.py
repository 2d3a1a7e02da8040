"""A client and a bot in forty lines: plays a game over HTTP, with nothing but Python.

python examples/play.py [http://127.0.0.1:8000]
"""

import json
import random
import secrets
import sys
import time
import urllib.request

SERVICE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
TOKEN = "bl_" + secrets.token_urlsafe(32)  # the client makes its own; whoever has it is the client


def ask(path, body=None, **headers):
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(SERVICE + path, data, headers)) as answer:
        return json.load(answer)


def choose(moves):
    """The bot: any move. Replace it by something better."""
    return random.choice(moves)


ruleset = ask("/v1/rulesets")["rulesets"][0]
seats = [{"kind": "human"}] + [{"kind": "bot", "level": "easy"}] * (ruleset["seats"][0] - 1)
made = ask("/v1/games", {"ruleset": ruleset["id"], "seats": seats})
game = made["game"]["links"]["self"]
(code,) = made["claim_codes"]
ask(f"{game}/seats/{code['seat']}", {"claim_code": code["claim_code"], "name": "example"})
while ask(game)["status"] in ("playing", "scoring"):
    moves = ask(f"{game}/moves")["moves"]
    if not moves:  # another seat's turn
        time.sleep(0.02)
        continue
    move = choose(moves)
    print(move["text"])
    key = {"Idempotency-Key": secrets.token_hex(8)}  # repeat with it when no answer comes
    ask(f"{game}/commands", {"seat": move["seat"], "command": move["command"]}, **key)
for seat in ask(f"{game}/score")["seats"]:
    print(f"seat {seat['seat']}: {seat['total']} points, rank {seat['rank']}")
