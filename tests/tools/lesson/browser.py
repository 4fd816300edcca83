"""A headless Chromium, driven by chromedriver over HTTP (W3C WebDriver) with Python's own modules."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

PATIENCE = 600  # seconds: machines that run tests are busy


# No proxy: the driver is on this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def address_of(path):
    return pathlib.Path(path).resolve().as_uri()


class Browser:
    """One window: what it shows, says and asks for; keys and the mouse go into it."""

    def __init__(self, script=True, dark=False):
        self.home = tempfile.TemporaryDirectory()
        home = dict.fromkeys(("HOME", "TMPDIR", "XDG_RUNTIME_DIR"), self.home.name)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            env={**os.environ, **home},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.session = None
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            self.session = self._open(script)
            self._prefer(
                **{"color-scheme": "dark" if dark else "light", "reduced-motion": "reduce"}
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.split()[-1].rstrip("."))
        raise OSError("chromedriver did not start")

    def _open(self, script):
        options = {
            "binary": shutil.which("chromium"),
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ],
            "prefs": {} if script else {"profile.managed_default_content_settings.javascript": 2},
            "perfLoggingPrefs": {"enableNetwork": True},
        }
        logs = {"browser": "ALL", "performance": "ALL"}
        timeouts = {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000}
        always = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": logs,
            "timeouts": timeouts,
        }
        return self._ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with opener.open(request, timeout=PATIENCE + 30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def ask(self, method, path, body=None):
        return self._ask(method, f"/session/{self.session}{path}", body)

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _prefer(self, **features):
        media = [{"name": f"prefers-{name}", "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", features=media)

    def size(self, width, height=900):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def open(self, path):
        self.ask("POST", "/url", {"url": address_of(path)})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def key(self, name):
        """Presses a key; `name` is one of WebDriver's code points."""
        actions = [{"type": kind, "value": name} for kind in ("keyDown", "keyUp")]
        self.ask(
            "POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def _mouse(self, *steps):
        self.ask(
            "POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]}
        )

    def _move(self, point):
        return {"type": "pointerMove", "duration": 20, "x": int(point[0]), "y": int(point[1])}

    def middle(self, selector, index=0):
        """Where the middle of an element is in the window, after it was scrolled there."""
        return self.run(
            """
            const element = document.querySelectorAll(arguments[0])[arguments[1]];
            element.scrollIntoView({block: "center", behavior: "instant"});
            const box = element.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];""",
            selector,
            index,
        )

    def click(self, selector, index=0):
        """With the mouse, in the middle of the element."""
        point = self.middle(selector, index)
        self._mouse(
            self._move(point),
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def drag(self, begin, end):
        """With the mouse, from one point of the window to another."""
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._mouse(self._move(begin), down, self._move(end), up)

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def errors(self):
        """What the console has said since the last call."""
        return [entry["message"] for entry in self.log("browser")]

    def requests(self):
        """Addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [
            m["params"]["request"]["url"]
            for m in messages
            if m["method"] == "Network.requestWillBeSent"
        ]

    def picture(self, path, whole=True):
        """A screenshot of the whole page, or of what the window shows."""
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        with contextlib.suppress(Exception):
            self.ask("DELETE", "")
        self.driver.terminate()
        try:
            self.driver.wait(60)
        except subprocess.TimeoutExpired:
            self.driver.kill()
        with contextlib.suppress(OSError):
            self.home.cleanup()
