"""live - a study watched while it runs, is killed, goes on, and ends; a store that comes and goes."""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from serving import ORRERY, STUDY, Count, Server, Stream, results, sweep, wait_for_points

def watched(count, folder):
    store = f"{folder}/watched.db"
    peace = f"{folder}/peace.db"
    running = sweep(folder, store)
    wait_for_points(store)
    with Server(store) as server:
        stream = Stream(server)
        seen = [stream.next()]
        count.check(seen[0][0] == "progress" and seen[0][1]["state"] == "running", f"it runs: {seen[0]}")
        while seen[-1][1]["done"] < 60:
            seen.append(stream.next())
            server.get("/data.json")
        done = [data["done"] for _, data in seen]
        count.check(done == sorted(done) and len(set(done)) > 1, f"points come in one after the other: {done}")
        count.check(any(data["points_per_s"] and data["left_s"] for _, data in seen), "how fast, how long")
        count.check(seen[-1][1]["best"]["column"] == "tokens_per_s", "the best, by the study's column")
        running.kill()
        running.wait()
        count.until("killed: stopped", lambda: server.get("/progress.json").json()["state"] == "stopped")
        kept = server.get("/progress.json").json()["done"]
        running = sweep(folder, store)
        late = Stream(server, headers=b"Last-Event-ID: 1\r\n")
        count.check(late.next()[1]["done"] >= kept, "a stream that begins again has the present state at once")
        while seen[-1][1]["state"] != "ended":
            seen.append(stream.next())
        count.check(running.wait(60) == 0, "the sweep ends well")
        last = seen[-1][1]
        count.check(last["done"] == last["total"] == 216 and last["state"] == "ended", f"the end: {last}")
        count.check(server.get("/results.json").body == results(store, "json"), "results.json is orrery results, byte by byte")
        packed = server.get("/data.json", headers=b"Accept-Encoding: gzip\r\n")
        count.check(gzip.decompress(packed.body) == server.get("/data.json").body, "packed and not packed are the same")
        count.check(json.loads(gzip.decompress(packed.body))["progress"]["done"] == 216, "the page's data has all points")
        count.check(not os.path.exists(store + "-wal"), "the sweep could leave WAL while it was watched")
        stream.close()
        late.close()
        code, _ = server.end(signal.SIGINT)
        count.check(code == 0, f"Ctrl-C: {code}")
    count.check(sweep(folder, peace, "2").wait(60) == 0, "the same, alone")
    count.check(results(store, "csv") == results(peace, "csv"), "who watches changes nothing")
    return peace


def points(count, store):
    with Server(store, "--point-limit", "1ms") as server:
        late = server.get("/point/0")
        count.check(late.status == 504 and b"longer than" in late.body, f"a point over its limit: {late.status}")
        count.check(server.get("/healthz").status == 200, "it goes on")
    with Server(store) as server:
        page = server.get("/point/5")
        count.check(page.status == 200 and b'"orrery.page/1"' in page.body, "a point, run again, as a page")
        for chart in "scaling", "pareto", "distribution":
            drawn = server.get(f"/plot/{chart}.svg")
            same = subprocess.run([ORRERY, "plot", store, "--chart", chart], capture_output=True, check=True).stdout
            count.check(drawn.status == 200 and drawn.body == same and drawn.headers["content-type"] == "image/svg+xml", f"{chart}, as of orrery plot")
        count.check(server.get("/point/216").status == 404, "no such point")


def states(count, store, folder):
    """Gone, cut, replaced, of another kind: 503 with the reason, and back."""
    name = f"{folder}/states.db"
    shutil.copy(store, name)
    with Server(name) as server:
        whole = server.get("/data.json")
        stream = Stream(server)
        stream.next()
        for what, damage in (("gone", os.unlink), ("cut", lambda path: os.truncate(path, 5000))):
            damage(name)
            count.until(f"{what}: 503", lambda: server.get("/data.json").status == 503)
            page, data = server.get("/"), server.get("/data.json")
            count.check(page.status == 503 and b"cannot be read just now" in page.body and b"refresh" in page.body, f"{what}: a page that asks again")
            count.check(data.headers.get("retry-after") and data.body.startswith(b"503 "), f"{what}: data: {data.body[:60]}")
            count.check(server.get("/point/1").status == 503 and server.get("/healthz").json()["store"] is False, f"{what}: said everywhere")
            count.check(stream.next()[1]["state"] == "unavailable", f"{what}: said in the stream")
            shutil.copy(store, name + ".new")
            os.rename(name + ".new", name)
            count.until(f"{what}: well again", lambda: server.get("/data.json").body == whole.body)
            count.check(stream.next()[1]["state"] == "ended", f"{what}: well again in the stream")
        stream.close()
        count.check(server.process.poll() is None, "it lives")
    quiet = f"{folder}/quiet"
    os.mkdir(quiet)
    shutil.copy(store, f"{quiet}/s.db")
    os.chmod(f"{quiet}/s.db", 0o444)
    os.chmod(quiet, 0o555)
    with Server(f"{quiet}/s.db") as server:
        count.check(server.get("/data.json").json()["progress"]["done"] == 216, "a folder that cannot be written")
    os.chmod(quiet, 0o755)


def main():
    count = Count()
    folder = tempfile.mkdtemp(prefix="orrery-serve-")
    try:
        with open(f"{folder}/study.yaml", "w", encoding="ascii") as study:
            study.write(STUDY)
        store = watched(count, folder)
        points(count, store)
        states(count, store, folder)
    finally:
        shutil.rmtree(folder)
    return count.say()


sys.exit(main())
