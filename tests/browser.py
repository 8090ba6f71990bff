"""A real browser without any package: Chromium, spoken to in its own protocol over a pair of pipes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds after which the browser is taken to hang; nothing is timed
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"),
    "--remote-debugging-pipe",
)
# Chromium wants its pipes at 3 and 4.
LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """Where Chromium is, if it is installed; $SPAMNB_TEST_BROWSER names another one."""
    stated = os.environ.get("SPAMNB_TEST_BROWSER")
    return stated or next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page; remembers every request, message of the console and uncaught error."""

    def __init__(self, program: str, profile: Path) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        commands, self._out = os.pipe()
        self._in, answers = os.pipe()
        quiet, given = subprocess.DEVNULL, (commands, answers)
        called = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *map(str, given), *called],
            pass_fds=given,
            stdout=quiet,
            stderr=quiet,
        )
        for end in given:
            os.close(end)
        self._heard, self._count, self._session = b"", 0, ""
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        page = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")
        self._send("Emulation.setScrollbarsHidden", hidden=True)

    def close(self) -> None:
        for end in (self._out, self._in):
            os.close(end)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._hear()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _hear(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._heard:
            ready, _, _ = select.select([self._in], [], [], max(deadline - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            data = os.read(self._in, 1 << 20)
            assert data, "the browser has ended"
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.complaints.append(json.dumps(params))

    def run(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def visit(self, path: Path) -> None:
        self._send("Page.navigate", url=path.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        while self.run("location.protocol + document.readyState") != "file:complete":
            assert time.monotonic() < until, "the page does not load"

    def size(self, width: int, height: int, phone: bool = False) -> None:
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def scheme(self, name: str, media: str = "") -> None:
        """`light` or `dark`; media may be `print`."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self._send("Emulation.setEmulatedMedia", media=media, features=features)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse, move it, let it go; to the same place it is a click."""
        button = {"button": "left", "buttons": 1, "clickCount": 1}
        self._send("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **button)
        for step in range(1, 6):
            x, y = (s + (e - s) * step / 5 for s, e in zip(start, end, strict=True))
            self._send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **button)
        self._send("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **button)

    def press(self, key: str, code: int) -> None:
        """A key of the keyboard, such as ArrowRight (39)."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self._send("Input.dispatchKeyEvent", type="rawKeyDown", **about)
        self._send("Input.dispatchKeyEvent", type="keyUp", **about)

    def picture(self) -> bytes:
        """The whole page as PNG."""
        found = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(found["data"])

    def paper(self) -> bytes:
        """The page printed on A4, as PDF."""
        size = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.5, "marginBottom": 0.5}
        return base64.b64decode(self._send("Page.printToPDF", **size)["data"])
