"""A headless Chromium, spoken to by the DevTools protocol over a pipe: nothing to install.

Messages are JSON that ends with a zero byte; the browser reads from its descriptor 3 and writes to
its descriptor 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 40
"""Seconds that anything in the browser may take."""
REMEMBERED = 60
"""Requests and messages that a page is known to have had last."""


def found() -> str | None:
    """The path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A running browser."""

    def __init__(self, path: str, folder: str) -> None:
        reads, self._out = _pipe()
        self._in, writes = _pipe()
        self._rest = b""
        self._last = 0
        self._pages: dict[str, Page] = {}
        log = os.open(f"{folder}/log", os.O_WRONLY | os.O_CREAT)
        actions = [
            (os.POSIX_SPAWN_DUP2, log, 1),  # first, as it may itself be 3 or 4
            (os.POSIX_SPAWN_DUP2, log, 2),
            (os.POSIX_SPAWN_DUP2, reads, 3),
            (os.POSIX_SPAWN_DUP2, writes, 4),
        ]
        command = [path, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = os.posix_spawn(
            path, command, dict(os.environ), file_actions=actions, setpgroup=0
        )
        for descriptor in (reads, writes, log):
            os.close(descriptor)

    def close(self) -> None:
        """Ends the browser and all its processes."""
        os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._in)
        os.close(self._out)

    def page(self) -> Page:
        """A page in a context of its own: it shares no storage with any other."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)
        asked = {"targetId": target["targetId"], "flatten": True}
        session = self.send("Target.attachToTarget", **asked)["sessionId"]
        page = self._pages[session] = Page(self, session, context)
        page.begin()
        return page

    def send(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """What the browser answers to a command."""
        self._last += 1
        number = self._last
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        written = json.dumps(message).encode() + b"\0"
        while written:
            written = written[os.write(self._out, written) :]
        limit = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(limit)
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            page = self._pages.get(answer.get("sessionId", ""))
            if page is not None:
                page.heard(answer)

    def _receive(self, limit: float) -> Any:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0, limit - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


class Page:
    """A page. `complaints` are its errors; refusals of the API that it shows are none. `heard_of`

    is what it did last: requests, answers, messages; `pending` are requests without an end.
    """

    def __init__(self, browser: Browser, session: str, context: str) -> None:
        self._browser = browser
        self._session = session
        self._context = context
        self.complaints: list[str] = []
        self.heard_of: deque[str] = deque(maxlen=REMEMBERED)
        self.pending: dict[str, str] = {}
        self._began = time.monotonic()

    def close(self) -> None:
        """Closes the page and forgets all that it stored."""
        self._browser.send("Target.disposeBrowserContext", browserContextId=self._context)

    def send(self, method: str, **parameters: Any) -> Any:
        """What the browser answers to a command for this page."""
        return self._browser.send(method, self._session, **parameters)

    def begin(self) -> None:
        """Listens to what the page complains of."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def heard(self, message: Any) -> None:
        """Notes what the page does and complains of."""
        told = message["params"]
        match message["method"]:
            case "Network.requestWillBeSent":
                asked = f"{told['request']['method']} {told['request']['url']}"
                self.pending[told["requestId"]] = asked
                self._note(asked)
            case "Network.responseReceived":
                answer = told["response"]
                self._note(f"{answer['status']} {self.pending.get(told['requestId'])}")
            case "Network.loadingFinished" | "Network.loadingFailed":
                ended = self.pending.pop(told["requestId"], None)
                if "errorText" in told:
                    self._note(f"{told['errorText']} {ended}")
            case "Page.frameNavigated":
                self._note(f"shows {told['frame']['url']}")
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(told["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(told["args"]))
            case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                text = told["entry"]["text"]
                if not any(f"status of {status} " in text for status in (409, 412)):
                    self.complaints.append(f"{text} {told['entry'].get('url')}")

    def _note(self, what: str) -> None:
        self.heard_of.append(f"{time.monotonic() - self._began:7.2f} {what}")

    def report(self) -> str:
        """All that may tell why something did not come."""
        state = self.run(STATE)
        parts = {
            "did last": self.heard_of,
            "waits for": self.pending.values(),
            "complained of": self.complaints,
            "stands at": [state["where"], json.dumps(state["data"])],
            "shows": [state["text"]],
        }
        return "\n".join(f"{name}:\n  " + "\n  ".join(told) for name, told in parts.items())

    def run(self, script: str) -> Any:
        """The value of an expression, awaited. Fails as the script does."""
        answer = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = PATIENCE) -> None:
        """Waits until an expression is true."""
        limit = time.monotonic() + seconds
        while not self.run(f"(async () => Boolean(await ({script})))()"):
            assert time.monotonic() < limit, f"never became true: {script}"
            time.sleep(0.05)

    def go(self, url: str) -> None:
        """Opens an address anew."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.protocol !== 'about:'")

    def reload(self) -> None:
        """Loads the page again."""
        self.run("window.before = true")
        self.send("Page.reload")
        self.until("!window.before && document.readyState === 'complete'")

    def click(self, node: str) -> None:
        """Clicks in the middle of what an expression gives, as a mouse does, once it lies still."""
        self.until(PLACED % node)
        x, y = self.run("window.placed")
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def mouse(self, kind: str, x: float, y: float) -> None:
        """Presses or releases the left button at a place."""
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str, code: int) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent",
                **{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, **text},
            )

    def looks(self, width: int, height: int, *, dark: bool = False) -> None:
        """Sets the size of the page, and whether it is dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Writes what is seen of the page, or all of it, as a PNG."""
        taken = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))


PLACED = """(async () => {
  const node = %s;
  if (!node) return false;
  node.scrollIntoView({block: "center", behavior: "instant"});
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const middle = () => {
    const box = node.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await frame();
  const before = middle();
  await frame();
  window.placed = middle();
  let there = document.elementFromPoint(...window.placed);
  while (there?.shadowRoot) there = there.shadowRoot.elementFromPoint(...window.placed);
  const whole = node instanceof SVGElement ? node.parentNode : node; // a shape, and what lies on it
  return String(before) === String(window.placed) && whole.contains(there);
})()"""
"""Whether a thing lies still and can be met: its middle is `window.placed` then."""
STATE = (
    "({where: location.href, data: {...document.querySelector('#table')?.dataset,"
    " classes: document.querySelector('#table')?.className},"
    " text: document.body.innerText.slice(0, 3000)})"
)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser for as long as it is needed."""
    path = found()
    assert path is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(path, folder)
        try:
            yield browser
        finally:
            browser.close()


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors are out of the way of those that the browser is given."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return ends[0], ends[1]
