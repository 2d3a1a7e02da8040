"""A bot: claims a seat if one is given, then plays whenever a game waits for its token, for ever.

BAILLI_TOKEN=bl_… python examples/bot.py http://127.0.0.1:8000 [GAME SEAT CLAIM_CODE]
"""

import json
import os
import random
import sys
import time
import urllib.request

SERVICE, TOKEN = sys.argv[1].rstrip("/"), os.environ["BAILLI_TOKEN"]


def call(path, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(SERVICE + path, data, headers), timeout=30)


def choose(moves):
    """The bot's strategy: any move. Put something better here."""
    return random.choice(moves)


def play(turn):
    """Makes one move in a game that waits, if it still does. Accepts take-back requests."""
    with call(turn["links"]["moves"]) as response:
        tag, now = response.headers["ETag"], json.load(response)
    accept = [each for each in now["table"] if each["command"]["type"] == "accept_undo"]
    if moves := accept or now["moves"]:
        move = choose(moves)
        body = {"seat": move["seat"], "command": move["command"]}
        key = f"at-{now['version']}"  # one move for each version, however often it is sent
        call(turn["links"]["commands"], body, If_Match=tag, Idempotency_Key=key).close()
        print(turn["game"], move["text"], flush=True)


def turns():
    """Yields every game that waits, then each one that starts to wait."""
    with call("/v1/turns", Accept="text/event-stream") as stream:
        for line in stream:
            if line.startswith(b"data: "):
                data = json.loads(line[6:])
                yield from data.get("turns", [data] if "links" in data else [])


if len(sys.argv) > 2:
    game, seat, code = sys.argv[2:]
    call(f"/v1/games/{game}/seats/{seat}", {"claim_code": code, "name": "bot"}).close()
while True:
    try:
        for turn in turns():
            play(turn)
    except (OSError, ValueError) as error:  # cut off, refused or out of date: connect again
        print(error, file=sys.stderr)
        time.sleep(1)
