"""A headless Chromium, spoken to by its own protocol over two pipes.

    with Browser(program) as b:
        page = b.page(1440, 900, dark=True)
        page.open(url)
        page.until("document.title")        # evaluates until it is true
        page.picture("shot.png")

Nothing but the standard library is needed. The profile is made for the run.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    """The path of a Chromium; None if there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Gone(Exception):
    """The browser has ended, or does not answer."""


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="code-intel-browser-")
        down, self.to = os.pipe()
        self.back, up = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        script = 'exec "$0" "$@" 3<&%d 4>&%d' % (down, up)
        self.process = subprocess.Popen(
            ["bash", "-c", script, program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             "--font-render-hinting=none", "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(down, up), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.count, self.rest, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close", {})
            self.process.wait(10)
        except (Gone, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, params, session=None, patience=30):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        try:
            os.write(self.to, json.dumps(message).encode() + b"\0")
        except OSError as e:
            raise Gone(str(e))
        end = time.time() + patience
        while True:
            while b"\0" in self.rest:
                line, self.rest = self.rest.split(b"\0", 1)
                said = json.loads(line)
                if said.get("id") == self.count:
                    if "error" in said:
                        raise RuntimeError("%s: %s" % (method, said["error"]["message"]))
                    return said["result"]
                self.events.append(said)
            ready, _, _ = select.select([self.back], [], [], max(0, end - time.time()))
            data = os.read(self.back, 1 << 20) if ready else b""
            if not data:
                raise Gone("no answer to %s" % method)
            self.rest += data

    def page(self, width, height, dark=False, scale=1):
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        p = Page(self, target, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            p.send(domain + ".enable", {})
        p.size(width, height, scale)
        p.send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        return p


class Page:
    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session

    def send(self, method, params):
        return self.browser.send(method, params, self.session)

    def size(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})

    def open(self, url):
        self.send("Page.navigate", {"url": url})

    def value(self, expression):
        r = self.send("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in r:
            raise RuntimeError("%s: %s" % (expression, r["exceptionDetails"].get("exception", {}).get("description")))
        return r["result"].get("value")

    def until(self, expression, patience=20):
        """Waits until an expression is true."""
        end = time.time() + patience
        while True:
            try:
                value, wrong = self.value("Boolean(%s)" % expression), None
            except RuntimeError as e:            # the page is only just made
                value, wrong = None, e
            if value:
                return
            if time.time() > end:
                raise AssertionError("not within %d s: %s%s\n%s" % (patience, expression, " (%s)" % wrong if wrong else "", self.text()[:1500]))
            time.sleep(0.05)

    def text(self):
        return self.value("document.body ? document.body.innerText : ''") or ""

    def picture(self, path, whole=False):
        """Writes what is shown; all of the page, not only the window's, if whole."""
        params = {"format": "png"}
        if whole:
            size = self.send("Page.getLayoutMetrics", {})["cssContentSize"]
            params.update(captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.send("Page.captureScreenshot", params)["data"]))

    def complaints(self):
        """The errors that the page logged, and its requests to other servers."""
        said = []
        for e in self.browser.events:
            if e.get("sessionId") != self.session:
                continue
            p = e.get("params", {})
            if e["method"] == "Runtime.exceptionThrown":
                said.append(p["exceptionDetails"].get("exception", {}).get("description") or p["exceptionDetails"]["text"])
            elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                said.append("%s %s" % (p["entry"]["text"], p["entry"].get("url", "")))
            elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                said.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        return said

    def asked(self):
        """The addresses that the page has loaded from."""
        return [e["params"]["request"]["url"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] == "Network.requestWillBeSent"]

    def close(self):
        self.browser.send("Target.closeTarget", {"targetId": self.target})
