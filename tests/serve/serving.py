"""serving - `orrery serve` under test: started, asked over plain sockets, ended. Loopback only.

    with Server(store) as server:
        server.get("/data.json").status
        server.talk(b"GET / HTTP/1.1\\r\\n..", limit=2)   # bytes in, bytes out
"""
import json
import os
import signal
import socket
import subprocess
import time

ORRERY = os.environ.get("ORRERY", "build/release/orrery")
HOST = b"Host: localhost\r\n"
STUDY = """base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=4
  plan: seq=4096,global-batch=128
axes:
  plan.tp: [1, 2, 4, 8]
  plan.pp: [1, 2, 4]
  plan.micro-batch: [1, 2, 4]
  plan.zero: [0, 1]
  system.launch-overhead: [2us, 3us, 4us]
best: most tokens_per_s
"""


def sweep(folder, store, *options):
    return subprocess.Popen([ORRERY, "sweep", f"{folder}/study.yaml", "--store", store, "--quiet", "--workers", *(options or ["1"])],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results(store, form):
    return subprocess.run([ORRERY, "results", store, "--format", form], capture_output=True, check=True).stdout


def wait_for_points(store):
    """Until the study is in the store."""
    for _ in range(400):
        if os.path.exists(store) and subprocess.run([ORRERY, "results", store, "--limit", "1", "--format", "csv"],
                                                    capture_output=True, check=False).stdout.count(b"\n") > 1:
            return
        time.sleep(0.02)
    raise RuntimeError("no study in the store")


class Answer:
    """The first answer in what a server sent."""

    def __init__(self, raw):
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        words = lines[0].split(b" ")
        self.status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        pairs = [line.partition(b":") for line in lines[1:]]
        self.headers = {name.decode().lower(): value.strip().decode() for name, _, value in pairs}

    def json(self):
        return json.loads(self.body)


def request(path="/healthz", method="GET", version="HTTP/1.1", headers=b"", host=HOST, close=True):
    head = f"{method} {path} {version}\r\n".encode("latin-1") + host + headers
    return head + (b"Connection: close\r\n" if close else b"") + b"\r\n"


class Server:
    def __init__(self, store, *options, program=(), before=None):
        self.store = store
        self.options = options
        self.program = list(program)
        self.before = before

    def __enter__(self):
        self.process = subprocess.Popen(self.program + [ORRERY, "serve", self.store, *self.options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, preexec_fn=self.before)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(self.process.stderr.read())
        host, _, port = self.url[len("http://"):-1].rpartition(":")
        self.address = (host.strip("[]"), int(port))
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self, how=signal.SIGTERM, limit=60):
        """Exit code and what it wrote to standard error."""
        self.process.send_signal(how)
        self.process.wait(limit)
        return self.process.returncode, self.process.stderr.read()

    def connect(self, limit=10):
        return socket.create_connection(self.address, limit)

    def talk(self, data, limit=10, most=1 << 28):
        """All that comes back until the server closes; None if it does not within `limit`."""
        out = []
        with self.connect(limit) as s:
            try:
                s.sendall(data)
                while most > 0:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    out.append(piece)
                    most -= len(piece)
            except socket.timeout:
                return None
            except OSError:
                pass  # it closed while we wrote: what it said counts
        return b"".join(out)

    def get(self, path, headers=b"", **more):
        return Answer(self.talk(request(path, headers=headers, **more)) or b"")

    def health(self):
        return self.get("/healthz").json()

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """Resident, in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(next(line for line in status if line.startswith("VmRSS")).split()[1])

    def cpu(self):
        """Seconds of a processor, its ended children's too."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


class Stream:
    """Server-sent events, read as they come."""

    def __init__(self, server, headers=b"", limit=20):
        self.socket = server.connect(limit)
        self.socket.sendall(request("/events", headers=headers, close=False))
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.head = Answer(head + b"\r\n\r\n")

    def more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError
        self.buffer += piece

    def next(self):
        """The next event: its name and its data. Each is one chunk or more."""
        while b"\n\n\r\n" not in self.buffer:
            self.more()
        block, _, self.buffer = self.buffer.partition(b"\n\n\r\n")
        fields = dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line)
        return fields["event"], json.loads(fields["data"])

    def close(self):
        self.socket.close()


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAILED:", what, flush=True)

    def skip(self, what):
        self.skipped += 1
        print("skipped:", what, flush=True)

    def until(self, what, condition, limit=20):
        """Waits for it."""
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                self.check(False, what)
                return
            time.sleep(0.05)
        self.check(True, what)

    def say(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return self.failed > 0
