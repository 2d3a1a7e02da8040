"""Follows a game as it is played, and misses nothing, however often the connection is lost.

python examples/follow.py http://127.0.0.1:8000/v1/games/GAME

Prints a line for each event until the game is over. A private game is read with a token or watch
code in BAILLI_TOKEN. Needs only Python.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

TIMEOUT = 30  # the service sends something at least every 15 seconds


def messages(response):
    """Yields (event, id, data) of each message of an event stream."""
    event, last, data = "message", None, []
    for line in response:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            event = value
        elif name == "id":
            last = value
        elif name == "data":
            data.append(value)
        elif not name and not value:  # an empty line ends a message; ":" alone is a heartbeat
            if data:
                yield event, last, json.loads("\n".join(data))
            event, data = "message", []


def follow(game, token=None):
    """Yields a game's events in order, each once."""
    last = "0"
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            request = urllib.request.Request(f"{game}/events", headers=headers)
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                if response.status == 204:  # over, and nothing is left to send
                    return
                for event, id, data in messages(response):
                    if event == "end":
                        return
                    last = id
                    yield data
        except urllib.error.HTTPError as problem:
            with problem:
                if problem.code not in (429, 503):
                    raise SystemExit(json.load(problem)["detail"]) from None
                time.sleep(int(problem.headers.get("Retry-After", 2)))
        except OSError:  # the connection was lost: resume
            time.sleep(1)


if __name__ == "__main__":
    for event in follow(sys.argv[1].rstrip("/"), os.environ.get("BAILLI_TOKEN")):
        print(event["version"], event["type"], json.dumps(event["data"]), flush=True)
