"""hostile STORE - requests that nobody should send: each has an answer, and the server stays as it was."""
import resource
import socket
import sys
import time

from serving import HOST, Answer, Count, Server, Stream, request

BODY = b"Content-Length: 5\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"

# What escapes a folder, in the ways that servers were once fooled by.
ESCAPES = ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/..%252f..%252fetc/passwd",
           "/..%c0%af..%c0%afetc/passwd", "/..\\..\\etc\\passwd", "/%5c..%5c..", "//etc/passwd", "/./data.json", "/data.json/", "/data.json%00",
           "/%64ata.json", "/point/../data.json", "/point/%31", "/point/1/..", "/point/-1", "/point/+1", "/point/01", "/point/1.0", "/point/0x1",
           "/point/99999999999999999999", "/point/1%00", "/point/", "/point/1e0", "/point/ 1", "/data.json#x", "/;/data.json", "/etc/passwd",
           "/proc/self/environ", "/events/", "/DATA.JSON", "/plot/../x.svg", "/~root", "/.", "/..", "/...", "/%"]

# name, bytes, statuses that will do (0: closed without a word)
ROWS = [(f"path {path}", request(path.replace(" ", "%20")), {404}) for path in ESCAPES] + [
    ("absolute form", request("http://localhost/healthz"), {200}),
    ("absolute form, in capitals", request("HTTP://LOCALHOST/healthz"), {200}),
    ("absolute form of another host", request("http://evil.example/healthz"), {421}),
    ("absolute form with a user", request("http://localhost@evil.example/healthz"), {421}),
    ("absolute form without a path", request("http://localhost"), {404, 421}),
    ("https in absolute form", request("https://localhost/healthz"), {421}),
    ("a file's address", request("file:///etc/passwd"), {421}),
    ("absolute form, Host of another", request("http://localhost/healthz", host=b"Host: evil.example\r\n"), {421}),
    ("asterisk form", request("*", "OPTIONS"), {405}),
    ("authority form", request("evil.example:80", "CONNECT"), {405}),
    ("NUL in a path", b"GET /etc\0/passwd HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", {404, 400}),
    # To the library a text ends at its NUL. No browser sends one.
    ("NUL in a header", request(headers=b"X: a\0b\r\n"), {200, 400}),
    ("NUL in Host", request(host=b"Host: evil.example\0localhost\r\n"), {421, 400}),
    ("HTTP/0.9", b"GET /healthz\r\n", {400}),
    ("HTTP/1.0 without Host", request(version="HTTP/1.0", host=b""), {200}),
    ("HTTP/1.0 with a Host of others", request(version="HTTP/1.0", host=b"Host: evil.example\r\n"), {421}),
    ("HTTP/2.0", request(version="HTTP/2.0"), {505}),
    ("HTTP/9.9", request(version="HTTP/9.9"), {505, 400}),
    ("no HTTP", request(version="FTP/1.1"), {400, 505}),
    ("HTTP/2's preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {505}),
    ("HTTP/1.1 without Host", request(host=b""), {400}),
    ("two Hosts", request(host=HOST + HOST), {400}),
    ("two different Hosts", request(host=HOST + b"Host: evil.example\r\n"), {400}),
    ("an empty Host", request(host=b"Host: \r\n"), {421}),
    ("Host of another", request(host=b"Host: evil.example\r\n"), {421}),
    ("Host that begins like ours", request(host=b"Host: localhost.evil.example\r\n"), {421}),
    ("Host that ends like ours", request(host=b"Host: evil.localhost\r\n"), {421}),
    ("Host of the network", request(host=b"Host: 192.168.0.1\r\n"), {421}),
    ("Host with a bad port", request(host=b"Host: localhost:99999\r\n"), {421}),
    ("Host with a name as port", request(host=b"Host: localhost:http\r\n"), {421}),
    ("Host in another number form", request(host=b"Host: 2130706433\r\n"), {421}),
    ("Host of loopback in IPv6", request(host=b"Host: [::1]:80\r\n"), {200}),
    ("Host in capitals, another port", request(host=b"Host: LocalHost:9999\r\n"), {200}),
    ("a line of 100,000 bytes", request("/" + "a" * 100000), {414}),
    ("a path of 1,000 bytes", request("/" + "a" * 1000), {414}),
    ("a header of 100,000 bytes", request(headers=b"X: " + b"a" * 100000 + b"\r\n"), {431}),
    ("100 headers", request(headers=b"".join(b"X%d: a\r\n" % i for i in range(100))), {431}),
    ("10,000 headers", request(headers=b"".join(b"X%d: a\r\n" % i for i in range(10000))), {431}),
    ("a header without a colon", request(headers=b"Xab\r\n"), {400}),
    ("a blank before the colon", request(headers=b"Transfer-Encoding : chunked\r\n") + b"0\r\n\r\n", {400}),
    ("a header without a name", request(headers=b": a\r\n", close=False) + b"X\r\n\r\n", {200, 400}),
    ("a blank in the target", request("/healthz x"), {0, 400}),
    ("POST", request("/", "POST", headers=BODY) + b"hello", {413}),
    ("POST without a body", request("/", "POST"), {405}),
    ("GET with a body", request("/", headers=BODY) + b"hello", {413}),
    ("GET with a body that never comes", request("/", headers=BODY), {413}),
    ("length of none", request(headers=b"Content-Length: 0\r\n"), {200}),
    ("a negative length", request(headers=b"Content-Length: -1\r\n"), {400}),
    ("a length that is none", request(headers=b"Content-Length: 0x10\r\n"), {400, 413}),
    ("a length of 23 digits", request(headers=b"Content-Length: 99999999999999999999999\r\n"), {413}),
    ("two lengths", request(headers=b"Content-Length: 0\r\nContent-Length: 5\r\n") + b"hello", {400, 413}),
    ("length and chunks", request(headers=b"Content-Length: 4\r\n" + CHUNKED) + b"0\r\n\r\n" + request("/data.json"), {400, 413}),
    ("chunks of no number", request(headers=CHUNKED) + b"zz\r\n\r\n", {400, 413}),
    ("a chunk of 2^64", request(headers=CHUNKED) + b"10000000000000000\r\n", {400, 413}),
    ("a coding that is none", request(headers=b"Transfer-Encoding: xchunked\r\n") + request("/data.json"), {400, 413}),
    ("HEAD", request("/data.json", "HEAD"), {200}),
    ("HEAD of a stream", request("/events", "HEAD"), {200}),
    ("OPTIONS", request("/", "OPTIONS"), {405}),
    ("PUT", request("/data.json", "PUT"), {405}),
    ("DELETE", request("/data.json", "DELETE"), {405}),
    ("TRACE", request("/", "TRACE", headers=b"Cookie: secret\r\n"), {405}),
    ("a method in small letters", request("/", "get"), {405}),
    ("a method of 1,000 letters", request("/", "X" * 1000), {405}),
    ("a bad Range", request(headers=b"Range: bytes=9999999999999999999-1,-5,x\r\n"), {200}),
    ("Expect", request(headers=b"Expect: 100-continue\r\n"), {100, 200}),
    ("a page of another site that fetches", request("/data.json", headers=b"Origin: http://evil.example\r\n"), {403}),
    ("a page without an origin", request("/data.json", headers=b"Origin: null\r\n"), {403}),
    ("a picture on another site", request("/point/1", headers=b"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), {403}),
    ("a picture of another port", request("/point/1", headers=b"Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n"), {403}),
    ("a link on another site", request(headers=b"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), {200}),
    ("our own page", request(headers=b"Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost:1\r\n"), {200}),
    ("noise", bytes(range(256)) * 8 + b"\r\n\r\n", {400}),
    ("lines that end with LF", b"GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n", {200, 400}),
    ("a folded header", request(headers=b"X: a\r\n b\r\n"), {200, 400}),
]


def places(text, word):
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def bad_requests(count, server):
    for name, data, wanted in ROWS:
        raw = server.talk(data)
        if raw is None:
            count.check(False, f"{name}: not closed")
            continue
        answer = Answer(raw)
        good = answer.status in wanted
        count.check(good, f"{name}: {answer.status}, not of {wanted}: {raw[:80]!r}")
        # Nothing of the request comes back, nothing of the machine goes out.
        count.check(not any(word in raw for word in (b"root:", b"secret", b"evil", b"passwd", b"/tmp/orr")), f"{name}: says too much: {raw!r}")
        # (What the library itself refuses begins twice with the same head.)
        heads = [raw[at:raw.find(b"\r\n\r\n", at)] for at in places(raw, b"HTTP/1.1 ")]
        count.check(len(set(heads)) <= 1 + (b"100 Continue" in raw), f"{name}: two answers: {raw!r}")


def headers(count, server):
    answer = server.get("/")
    count.check("'unsafe" not in answer.headers["content-security-policy"] and "default-src 'none'" in answer.headers["content-security-policy"],
                "a policy of security")
    for name, value in (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
                        ("cross-origin-resource-policy", "same-origin")):
        count.check(answer.headers.get(name) == value, f"{name}: {answer.headers.get(name)}")
    for name in ("set-cookie", "access-control-allow-origin", "server"):
        count.check(name not in answer.headers, f"no {name}")
    count.check(server.get("/x", headers=b"Origin: http://localhost\r\n").headers.get("access-control-allow-origin") is None, "no CORS")
    count.check(Answer(server.talk(request("/", "PUT"))).headers.get("allow") == "GET, HEAD", "405 says what is allowed")
    whole = server.get("/data.json")
    tag = whole.headers["etag"].encode()
    packed = server.get("/data.json", headers=b"Accept-Encoding: br, gzip\r\n")
    count.check(packed.headers.get("content-encoding") == "gzip" and len(packed.body) < len(whole.body), "gzip if asked")
    count.check("content-encoding" not in server.get("/data.json", headers=b"Accept-Encoding: gzip;q=0\r\n").headers, "no gzip if refused")
    for known in (tag, b'"x", W/' + tag, packed.headers["etag"].encode(), b"*"):
        same = server.get("/data.json", headers=b"If-None-Match: " + known + b"\r\n")
        count.check(same.status == 304 and not same.body, f"If-None-Match {known}: {same.status}")
    count.check(server.get("/data.json", headers=b'If-None-Match: "x"\r\n').status == 200, "another tag")
    head = Answer(server.talk(request("/data.json", "HEAD")))
    count.check(not head.body and head.headers["content-length"] == str(len(whole.body)), "HEAD says the length, and nothing more")


def pipelines(count, server):
    keep = request(close=False)
    raw = server.talk(keep * 20 + request("/data.json", close=False) * 3 + request())
    count.check(raw is not None and raw.count(b"HTTP/1.1 200") == 24, "24 requests in one write, also while one is made")
    raw = server.talk(keep + b"\0" + keep)
    count.check(raw is not None and raw.count(b"HTTP/1.1 200") == 1, "noise between two requests ends the connection")
    with server.connect() as s:  # byte by byte
        for byte in request():
            s.sendall(bytes([byte]))
        s.settimeout(5)
        count.check(s.recv(4096).startswith(b"HTTP/1.1 200"), "byte by byte")


def crowds(count, server):
    """300 connections at once, all answered, in time; as many streams as there may be."""
    crowd = [server.connect(30) for _ in range(300)]
    for s in crowd:
        s.sendall(request())
    good = 0
    for s in crowd:
        raw = b""
        while piece := s.recv(65536):
            raw += piece
        good += raw.startswith(b"HTTP/1.1 200")
        s.close()
    count.check(good == 300, f"300 connections at once: {good} answered")
    streams = [Stream(server) for _ in range(60)]
    statuses = [stream.head.status for stream in streams]
    count.check(statuses.count(200) == 48 and statuses.count(503) == 12, f"48 streams, the others told to wait: {statuses}")
    count.check(server.get("/healthz").status == 200, "pages are answered while all streams are taken")
    for stream in streams:
        stream.close()
    count.until("streams whose readers went are given back", lambda: server.health()["streams"] == 0)


def few_descriptors(count, store):
    """Where a process may have 32 descriptors, connections wait for each other; in IPv6 it is the same server."""
    with Server(store, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))) as server:
        crowd = [server.connect(30) for _ in range(120)]
        for s in crowd:
            s.sendall(request())
        good = 0
        for s in crowd:
            good += s.recv(65536).startswith(b"HTTP/1.1 200")
            s.close()
        count.check(good == 120 and server.get("/data.json").status == 200, f"120 connections over 32 descriptors: {good}")
    try:
        with Server(store, "--listen", "[::1]:0") as server:
            count.check(server.get("/data.json", host=b"Host: [::1]:1\r\n").status == 200, "IPv6")
    except RuntimeError:
        count.skip("no IPv6 here")


def leavers(count, server):
    """Clients that go at the worst time."""
    for data in (b"", b"GET", request()[:-2], request("/data.json", close=False), request("/events"), request("/point/1")):
        for linger in (False, True):
            s = server.connect()
            s.sendall(data)
            if linger:  # a reset, not an end
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            s.close()
    count.check(server.get("/data.json").status == 200, "clients that went away in the middle")


def slow(count, server):
    """Slow loris: some bytes each second, headers that never end; and readers that do not read."""
    start = time.monotonic()
    loris = [server.connect(30) for _ in range(20)]
    for s in loris:
        s.sendall(b"GET / HTTP/1.1\r\n")
    left = list(loris)
    while left and time.monotonic() - start < 16:
        time.sleep(0.5)
        for s in list(left):
            try:
                s.sendall(b"X: a\r\n")
                s.setblocking(False)
                if s.recv(4096) == b"":
                    left.remove(s)
            except BlockingIOError:
                pass
            except OSError:
                left.remove(s)
            finally:
                s.setblocking(True)
    count.check(not left and time.monotonic() - start > 8, f"slow loris is ended after ten seconds: {len(left)} left")
    for s in loris:
        s.close()
    count.until("who went away is forgotten", lambda: server.health()["connections"] == 1)


def many(count, server):
    """No descriptor and no memory is lost over 10,000 requests."""
    paths = ["/healthz", "/data.json", "/", "/nothing", "/progress.json", "/point/1", "/point/2"]
    batch = b"".join(request(paths[i % len(paths)], close=False) for i in range(99)) + request()
    for _ in range(20):
        server.talk(batch)
    count.until("connections end", lambda: server.health()["connections"] == 1)
    files, memory = server.files(), server.memory()
    for _ in range(100):
        raw = server.talk(batch)
        if raw is None or raw.count(b"HTTP/1.1 ") != 100:
            count.check(False, "100 requests in one write")
            break
    count.until("connections end", lambda: server.health()["connections"] == 1)
    count.until("no descriptor more", lambda: server.files() <= files)
    grown = server.memory() - memory
    most = 512 if "/asan/" not in sys.argv[1] else 300_000  # what is freed is kept aside with sanitizers
    count.check(grown < most, f"memory grew by {grown} KiB over 10,000 requests")


def main():
    count = Count()
    with Server(sys.argv[1]) as server:
        files = server.files()
        bad_requests(count, server)
        headers(count, server)
        pipelines(count, server)
        crowds(count, server)
        leavers(count, server)
        slow(count, server)
        many(count, server)
        count.until("descriptors as at the start", lambda: server.files() <= files + 1)
        code, said = server.end()
        count.check(code == 0, f"SIGTERM ends it with 0: {code}")
        count.check("requests were refused" in said and len(said.splitlines()) == 1, f"what was refused is said: {said}")
    few_descriptors(count, sys.argv[1])
    return count.say()


sys.exit(main())
