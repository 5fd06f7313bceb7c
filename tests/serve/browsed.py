"""browsed - the live page in a real headless Chromium: points appear while a study runs, and what happens to it is said."""
import os
import shutil
import sqlite3
import sys
import tempfile

from serving import STUDY, Count, Server, sweep, wait_for_points

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "page"))
from browser import Browser, find_chromium  # noqa: E402

PROGRESS = "(document.querySelector('.progress') || {}).textContent || ''"
ENDED = "Number(document.body.innerText.match(/ended\\n(\\d+)/)?.[1] ?? -1)"  # the fact on the page, of its data
EVIL = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'>\u202e"


def running(count, browser, store, folder):
    job = sweep(folder, store)
    wait_for_points(store)
    with Server(store) as server:
        page = browser.open(server.url)
        count.check(page.wait(f"/points ended/.test({PROGRESS})"), "progress is shown")
        count.check(page.wait(f"{ENDED} >= 0"), "the data is shown")
        first = page.value(ENDED)
        page.value("document.querySelector('#table-of-points thead button').click()")
        page.value("document.querySelector('#table-of-points thead button').click()")  # most first
        count.check(page.wait(f"{ENDED} > {first}"), "points appear while the study runs")
        count.check(page.value("document.querySelector('#table-of-points th').getAttribute('aria-sort')") == "descending", "the order of a table stays")
        job.kill()
        job.wait()
        stopped = f"/No sweep is running/.test({PROGRESS})"
        if page.value(ENDED) < 216:
            count.check(page.wait(stopped), "a sweep that was killed is said")
            count.check("No sweep is running" in page.value("document.querySelector('.unseen').textContent"), "also to who listens")
        job = sweep(folder, store, "2")
        count.check(page.wait(f"{ENDED} === 216", 60) and job.wait(60) == 0, "it goes on to the end")
        count.check(page.wait("!document.querySelector('.progress')"), "then there is no progress left")
        os.rename(store, store + ".away")
        count.check(page.wait(f"/cannot be read just now/.test({PROGRESS})"), "a store that went is said")
        count.check(page.value(ENDED) == 216, "what was read stays")
        os.rename(store + ".away", store)
        count.check(page.wait("!document.querySelector('.progress')"), "and is well again")
        count.check(all(url.startswith(server.url) for url in page.requests), f"it asks its own server alone: {page.requests}")
        missing = [text for text in page.problems if "503" not in text]  # the browser's own words about a 503
        count.check(not missing, f"no error on the console: {missing}")
        link = page.value("document.querySelector('#table-of-points tbody a').href")
        point = browser.open(link)
        count.check(point.wait("document.body.dataset.sections > 0"), f"a point's page, run again: {link}")
        count.check(not point.problems and not point.requests, f"no error there: {point.problems}")
        chart = browser.open(f"{server.url}plot/pareto.svg")
        count.check(chart.value("document.documentElement.localName") == "svg" and not chart.problems, f"a chart: {chart.problems}")
        server.process.kill()
        count.check(page.wait(f"/does not answer/.test({PROGRESS})"), "a server that went is said")


def evil(count, browser, store):
    """Text in a store is text on a page."""
    with sqlite3.connect(store) as base:
        base.execute("UPDATE point SET reason=?1, state=?1 WHERE id % 3 = 0", (EVIL,))
        base.execute("UPDATE member SET axes=json_set(axes, '$[0]', ?1) WHERE ordinal % 2 = 0", (EVIL,))
        base.execute("UPDATE meta SET value=json_set(value, '$[1]', ?1) WHERE key='axes'", (EVIL,))
        base.execute("UPDATE meta SET value=?1 WHERE key IN ('program', 'study')", (EVIL,))
        number = base.execute("SELECT ordinal FROM member JOIN point USING(request) WHERE reason=?1", (EVIL,)).fetchone()[0]
    with Server(store) as server:
        page = browser.open(server.url)
        count.check(page.wait(f"{ENDED} === 216"), "an evil store is shown")
        count.check(page.value("document.body.innerText.includes('onerror=')"), "its text is text")
        point = browser.open(f"{server.url}point/{number}")
        count.check(point.value("document.body.innerText.includes('onerror=')"), "on a point's page too")
        for shown in (page, point):
            count.check(shown.value("window.hacked === undefined && !document.querySelector('img')"), "nothing of it is run")
            count.check(not shown.problems, f"not even tried: {shown.problems}")


def main():
    count = Count()
    if not find_chromium():
        count.skip("no chromium")
        return count.say()
    folder = tempfile.mkdtemp(prefix="orrery-serve-")
    try:
        with open(f"{folder}/study.yaml", "w", encoding="ascii") as study:
            study.write(STUDY)
        with Browser() as browser:
            running(count, browser, f"{folder}/s.db", folder)
            evil(count, browser, f"{folder}/s.db")
    finally:
        shutil.rmtree(folder)
    return count.say()


sys.exit(main())
