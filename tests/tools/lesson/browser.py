"""A headless Chromium, driven by chromedriver's HTTP interface (W3C WebDriver) with Python's own modules."""
import base64
import contextlib
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request


def chromium():
    """The browser and its driver, or None where either is not there."""
    found = shutil.which("chromium"), shutil.which("chromedriver")
    return found if all(found) else None


class Browser:
    """One window. Numbers as text, errors and requests are read from it; keys and the mouse go into it."""

    def __init__(self, script=True, dark=False):
        binary, driver = chromium()
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            self.session = self._open(binary, script, dark)
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.split()[-1].rstrip("."))
        raise OSError("chromedriver did not start")

    def _open(self, binary, script, dark):
        options = {
            "binary": binary,
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
            + (["--blink-settings=preferredColorScheme=0"] if dark else []),
            "prefs": {} if script else {"profile.managed_default_content_settings.javascript": 2},
            "perfLoggingPrefs": {"enableNetwork": True},
        }
        logs = {"browser": "ALL", "performance": "ALL"}
        always = {"goog:chromeOptions": options, "goog:loggingPrefs": logs}
        return self._ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def ask(self, method, path, body=None):
        return self._ask(method, f"/session/{self.session}{path}", body)

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        self.ask("POST", "/url", {"url": f"file://{path}"})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def key(self, name):
        """Presses a key; `name` is one of WebDriver's code points."""
        actions = [{"type": kind, "value": name} for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, begin, end):
        """With the mouse, from one point of the window to another."""
        def move(point):
            return {"type": "pointerMove", "duration": 50, "x": int(point[0]), "y": int(point[1])}
        actions = [move(begin), {"type": "pointerDown", "button": 0}, move(end), {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def errors(self):
        """What the console has said since the last call."""
        return [entry["message"] for entry in self.log("browser")]

    def requests(self):
        """Addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def picture(self, path, whole=True):
        """A screenshot of the whole page, or of what the window shows."""
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        with contextlib.suppress(Exception):
            self.ask("DELETE", "")
        self.driver.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.driver.wait(10)
            return
        self.driver.kill()
        time.sleep(0)
