"""A bot: takes a seat if one is given, then answers whatever waits for its token, for ever.

BAILLI_TOKEN=bl_… python examples/bot.py http://127.0.0.1:8000 [GAME SEAT CLAIM_CODE]
"""

import json
import os
import random
import sys
import time
import urllib.request

SERVICE, TOKEN = sys.argv[1].rstrip("/"), os.environ["BAILLI_TOKEN"]


def ask(path, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(SERVICE + path, data, headers), timeout=30)


def choose(moves):
    """The bot's mind: any move. Put something better here."""
    return random.choice(moves)


def answer(turn):
    """Makes one move in a game that waits, if it still does. Agrees to taking back."""
    with ask(turn["links"]["moves"]) as listed:
        tag, now = listed.headers["ETag"], json.load(listed)
    asked = [each for each in now["table"] if each["command"]["type"] == "accept_undo"]
    if found := asked or now["moves"]:
        move = choose(found)
        body = {"seat": move["seat"], "command": move["command"]}
        key = f"at-{now['version']}"  # one answer to each version, however often it is sent
        ask(turn["links"]["commands"], body, If_Match=tag, Idempotency_Key=key).close()
        print(turn["game"], move["text"], flush=True)


def turns():
    """Yields what waits: all of it first, then what begins to wait, as it does."""
    with ask("/v1/turns", Accept="text/event-stream") as stream:
        for line in stream:
            if line.startswith(b"data: "):
                told = json.loads(line[6:])
                yield from told.get("turns", [told] if "links" in told else [])


if len(sys.argv) > 2:
    game, seat, code = sys.argv[2:]
    ask(f"/v1/games/{game}/seats/{seat}", {"claim_code": code, "name": "bot"}).close()
while True:
    try:
        for turn in turns():
            answer(turn)
    except (OSError, ValueError) as fault:  # cut off, refused or out of date: begin anew
        print(fault, file=sys.stderr)
        time.sleep(1)
