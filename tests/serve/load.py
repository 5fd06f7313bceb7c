"""load [SECONDS] - figures, no test: requests per second, and what five who watch take from a sweep on the same machine.

A watcher is a live page: a stream of events, and the data again after each event, at most every two seconds.
"""
import os
import shutil
import sys
import tempfile
import threading
import time

from serving import Server, Stream, request, results, sweep, wait_for_points

STUDY = """base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=4
  plan: seq=4096,global-batch=128
axes:
  plan.tp: [1, 2, 4, 8]
  plan.pp: [1, 2, 4]
  plan.micro-batch: [1, 2, 4]
  plan.zero: [0, 1]
  system.launch-overhead: {from: 1us, to: 20us, count: %d}
"""


def requests_per_s(store, seconds):
    with Server(store) as server:
        for path in "/healthz", "/data.json", "/":
            batch = request(path, close=False, headers=b"Accept-Encoding: gzip\r\n") * 199 + request(path)
            server.talk(batch)
            start, count, cpu = time.monotonic(), 0, server.cpu()
            while time.monotonic() - start < seconds:
                count += server.talk(batch).count(b"HTTP/1.1 200")
            took = time.monotonic() - start
            print(f"{path:12} {count / took:8.0f} requests/s on one connection at a time, {1e6 * (server.cpu() - cpu) / count:.0f} us of a processor each")


def watch(server, stop):
    stream = Stream(server, limit=30)
    due = 0.0
    try:
        while not stop.is_set() and stream.next()[1]["state"] != "ended":
            if time.monotonic() >= due:
                server.get("/data.json", headers=b"Accept-Encoding: gzip\r\n")
                due = time.monotonic() + 2
    except OSError:
        pass


def watched(folder, watchers, number):
    store = f"{folder}/{number}.db"
    start = time.monotonic()
    job = sweep(folder, store, "2")
    wait_for_points(store)
    with Server(store) as server:
        stop = threading.Event()
        threads = [threading.Thread(target=watch, args=(server, stop)) for _ in range(watchers)]
        for thread in threads:
            thread.start()
        job.wait()
        took, cpu = time.monotonic() - start, server.cpu()
        stop.set()
        for thread in threads:
            thread.join()
    rows = results(store, "csv").count(b"\n") - 1
    print(f"{watchers} watching: {rows} points in {took:.1f} s; the server took {cpu:.2f} s of a processor: "
          f"{100 * cpu / took / min(2, os.cpu_count()):.2f} % of two cores")
    return store


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2
    folder = tempfile.mkdtemp(prefix="orrery-load-")
    try:
        with open(f"{folder}/study.yaml", "w", encoding="ascii") as study:
            study.write(STUDY % 20)
        store = None
        for number in range(3):
            for watchers in 0, 5:
                store = watched(folder, watchers, f"{number}-{watchers}")
        requests_per_s(store, seconds)
    finally:
        shutil.rmtree(folder)


main()
