"""browser - a headless Chromium over the DevTools protocol's pipe: standard library alone.

    with Browser() as browser:
        page = browser.open("file:///somewhere/page.html", width=1280)
        page.value("document.title")       # of an expression; promises are waited for
        page.problems                      # console errors, exceptions, policy violations
        page.requests                      # addresses asked for, but the page's own
        page.picture("page.png"); page.pdf("page.pdf")
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    """The path of a Chromium, or None."""
    return shutil.which(os.environ.get("CHROMIUM", "chromium"))


class Browser:
    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="orrery-browser-")
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def pipes():  # the protocol is on 3 (to the browser) and 4 (from it)
            fds = [os.dup(to_read), os.dup(from_write)]
            while max(fds) < 10:
                fds = [os.dup(fd) for fd in fds]
            os.dup2(fds[0], 3)
            os.dup2(fds[1], 4)

        self.process = subprocess.Popen(
            [find_chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1", f"--user-data-dir={self.profile}", "about:blank"],
            close_fds=False, preexec_fn=pipes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer = b""
        self.last = 0
        self.pages = {}
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:  # it is ended in any case
            self.process.kill()
            self.process.wait()
        os.close(self.to_write)
        os.close(self.from_read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, limit):
        """The next message, or None after `limit` seconds."""
        end = time.monotonic() + limit
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_read], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.from_read, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def take(self, message):
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])

    def call(self, method, session=None, limit=60, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        end = time.monotonic() + limit
        while True:
            message = self.receive(end - time.monotonic())
            if message is None:
                raise RuntimeError(f"{method}: no answer within {limit} s")
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.take(message)

    def open(self, address, **how):
        return Page(self, address, **how)


class Page:
    def __init__(self, browser, address, width=1280, height=900, dark=False, media=""):
        self.browser, self.address = browser, address
        self.problems, self.requests = [], []
        self.loaded = False
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=address)
        end = time.monotonic() + 60
        while not self.loaded and time.monotonic() < end:
            message = browser.receive(1)
            if message:
                browser.take(message)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent" and params["request"]["url"] != self.address:
            if not params["request"]["url"].startswith("data:"):
                self.requests.append(params["request"]["url"])

    def value(self, expression):
        """What an expression of JavaScript is, as JSON gives it."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def wait(self, expression, limit=20):
        """Until it holds; False after `limit` seconds."""
        end = time.monotonic() + limit
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def key(self, name, text=None):
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, **({"text": text} if text and kind == "keyDown" else {}),
                      windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(name, ord(name[0])))

    def picture(self, path, whole=True):
        height = self.value("document.documentElement.scrollHeight")
        width = self.value("document.documentElement.clientWidth")
        clip = {"clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}, "captureBeyondViewport": True} if whole else {}
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"]))

    def pdf(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]))
