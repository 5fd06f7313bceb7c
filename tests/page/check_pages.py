"""check_pages - pages in a real browser: FOLDER has study.html, run.html, close.html, hostile.html; ADDRESS is a live page, or "-".

Prints a line for each failure, and the number of checks at the end.
"""
import re
import sys

from browser import Browser, find_chromium

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {found}")


# -- what holds for every page ---------------------------------------------------------------------------------------------------

NAMELESS = """[...document.querySelectorAll('button, select, input, a, svg[role=img], [role=region], progress')].filter((e) =>
    !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || (e.labels && e.labels.length) || e.getAttribute('aria-labelledby')))
    .map((e) => e.outerHTML.slice(0, 120))"""
TWICE = """[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)"""
BROKEN_LABELS = """[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap((e) =>
    `${e.getAttribute('aria-labelledby') || ''} ${e.getAttribute('aria-describedby') || ''}`.split(' ').filter(Boolean))
    .filter((id) => !document.getElementById(id))"""
BARE_TABLES = "[...document.querySelectorAll('table')].filter((t) => !t.caption || !t.querySelector('thead th[scope=col]')).length"
UNITLESS = """[...document.querySelectorAll('thead button')].filter((b) => !b.title).map((b) => b.textContent)"""
HANDLERS = """[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length"""
JUMPS = """(() => { let last = 0; return [...document.querySelectorAll('h1, h2, h3')].filter((h) => {
    const level = Number(h.tagName[1]); const jump = level > last + 1; last = level; return jump; }).length; })()"""
CONTRAST = """(() => {
    const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ground = light(getComputedStyle(document.documentElement).backgroundColor);
    const texts = [...document.querySelectorAll('p, dt, dd, th, td, h1, h2, h3, label, summary, a:not(.skip)')].filter((e) => e.offsetParent && e.textContent);
    return Math.min(...texts.map((e) => { const l = light(getComputedStyle(e).color); return (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05); }));
})()"""


def general(page, name):
    check(f"{name}: shown", page.wait("document.body.dataset.sections > 0 || document.body.dataset.failed"), "nothing came")
    check(f"{name}: not failed", page.value("document.body.dataset.failed || ''") == "", page.value("document.body.dataset.failed"))
    check(f"{name}: controls have names", page.value(NAMELESS) == [], page.value(NAMELESS))
    check(f"{name}: ids are unique", page.value(TWICE) == [], page.value(TWICE))
    check(f"{name}: labels are there", page.value(BROKEN_LABELS) == [], page.value(BROKEN_LABELS))
    check(f"{name}: tables have captions and heads", page.value(BARE_TABLES) == 0)
    check(f"{name}: columns say their source", page.value(UNITLESS) == [], page.value(UNITLESS))
    check(f"{name}: no handlers in attributes", page.value(HANDLERS) == 0)
    check(f"{name}: headings in order", page.value(JUMPS) == 0)
    check(f"{name}: text has contrast", page.value(CONTRAST) >= 4.5, page.value(CONTRAST))
    check(f"{name}: no sideways scrolling", page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    check(f"{name}: no request", page.requests == [], page.requests)
    check(f"{name}: no console message", page.problems == [], page.problems)
    same = "[...document.querySelectorAll('g.axis')].filter((g) => { const t = [...g.querySelectorAll('text')].map((x) => x.textContent); return t.some((x, i) => i && /^[0-9.,]+$/.test(x) && x === t[i - 1]); }).length"
    check(f"{name}: no two ticks say the same", page.value(same) == 0, page.value(same))


def charts_are_drawn(page, name, least):
    drawn = "[...document.querySelectorAll('figure.chart svg[role=img]')].filter((s) => s.querySelectorAll('rect, path').length && s.getBoundingClientRect().height > 40)"
    check(f"{name}: charts are drawn", page.wait(f"{drawn}.length >= {least}"), page.value(f"{drawn}.length"))
    check(f"{name}: charts have words", page.value(f"{drawn}.every((s) => s.getAttribute('aria-label') || (s.querySelector('title').textContent && s.querySelector('desc').textContent))"))
    numbers = "[...document.querySelectorAll('figure.chart [d], figure.chart [x], figure.chart [width]')].filter((e) => /NaN|Infinity|undefined/.test(e.outerHTML)).length"
    check(f"{name}: no place is not a number", page.value(numbers) == 0)


def type_into(page, selector, text):
    page.value(f"(() => {{ const e = document.querySelector({selector!r}); e.value = {text!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }})()")


# -- a study ----------------------------------------------------------------------------------------------------------------------

def study(browser, folder):
    page = browser.open(f"file://{folder}/study.html")
    general(page, "study")
    charts_are_drawn(page, "study", 4)
    rows = "document.querySelector('#table-of-points .status').textContent"
    check("study: all points", page.value(rows).startswith("rows 1 to 25 of 36"), page.value(rows))

    type_into(page, ".filter.all input", "plan.tp == 4 and plan.pp <= 2")
    check("study: a condition filters", "8 rows (filtered from 36)" == page.value(rows), page.value(rows))
    check("study: how many is said", page.value("document.querySelector('.count').textContent") == "8 of 36 points")
    marks = "document.querySelectorAll('#distribution rect').length"
    before = page.wait(f"{marks} > 0")  # charts are drawn when the browser has laid their places out
    type_into(page, ".filter.all input", "plan.tp == 4 and time_s < 1ms")
    check("study: units in conditions", page.value(rows) == "no rows (filtered from 36)", page.value(rows))
    check("study: charts follow the filter", before and page.wait("document.querySelectorAll('main section .nothing').length >= 3"))
    type_into(page, ".filter.all input", "plan.tp ==")
    check("study: a mistake is said", "missing" in page.value("document.querySelector('.filter.all .mistake').textContent"))
    check("study: and marked", page.value("document.querySelector('.filter.all input').getAttribute('aria-invalid')") == "true")
    type_into(page, ".filter.all input", "plan.tpp == 4")
    check("study: an unknown column is said", "no column" in page.value("document.querySelector('.filter.all .mistake').textContent"))
    type_into(page, ".filter.all input", "")
    check("study: all again", "of 36" in page.value(rows))

    head = "[...document.querySelectorAll('#table-of-points thead th')].find((t) => t.textContent.startsWith('time_s'))"
    times = "[...document.querySelectorAll('#table-of-points tbody tr')].map((r) => Number(r.children[[...r.parentNode.parentNode.tHead.rows[0].cells].indexOf(" + head + ")].textContent.replace(/,/g, '')))"
    page.value(f"{head}.querySelector('button').focus()")
    page.key("Enter", "\r")
    check("study: a key sorts", page.value(f"{head}.getAttribute('aria-sort')") == "ascending", page.value(f"{head}.getAttribute('aria-sort')"))
    up = page.value(times)
    check("study: in order", up == sorted(up) and len(up) == 25, up)
    page.key("Enter", "\r")
    down = page.value(times)
    check("study: and back", down == sorted(down, reverse=True) and page.value(f"{head}.getAttribute('aria-sort')") == "descending", down)
    page.value("[...document.querySelectorAll('#table-of-points .turn button')].find((b) => b.textContent === 'Next').click()")
    check("study: pages turn", page.value(rows).startswith("rows 26 to 36 of 36"), page.value(rows))

    title = "document.querySelector('#scaling h3').textContent"
    page.value("(() => { const s = document.querySelector('#scaling select'); s.value = 'plan.tp'; s.dispatchEvent(new Event('change')); })()")
    check("study: another axis", page.value(title).endswith("over plan.tp"), page.value(title))
    page.value("document.querySelector('#pareto details summary').click()")
    check("study: data as a table", page.wait("document.querySelectorAll('#pareto details table tbody tr').length > 0"))
    check("study: still no message", page.problems == [] and page.requests == [], page.problems)

    front = "[...document.querySelectorAll('#pareto > div > .table tbody tr')].length"
    check("study: the front has rows", page.value(front) > 0, page.value(front))

    dark = browser.open(f"file://{folder}/study.html", dark=True, width=400)
    general(dark, "study, dark and narrow")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    was = dark.value(ground)
    dark.value("(() => { const s = document.querySelector('#top select'); s.value = 'light'; s.dispatchEvent(new Event('change')); })()")
    check("study: light by choice", was != dark.value(ground) and dark.value(ground) == "rgb(255, 255, 255)", was)

    paper = browser.open(f"file://{folder}/study.html", dark=True, media="print")
    paper.wait("document.body.dataset.sections")
    check("study: light on paper", paper.value(ground) == "rgb(255, 255, 255)", paper.value(ground))
    check("study: no controls on paper", paper.value("[...document.querySelectorAll('nav, select, .turn')].every((e) => !e.offsetParent)"))
    paper.pdf(f"{folder}/study.pdf")


# -- a run --------------------------------------------------------------------------------------------------------------------------

def run(browser, folder):
    general(browser.open(f"file://{folder}/close.html"), "run, ranks that end close to each other")
    page = browser.open(f"file://{folder}/run.html")
    general(page, "run")
    charts_are_drawn(page, "run", 5)
    check("run: sections", page.value("['time', 'critical-path', 'timeline', 'communication', 'network', 'compute', 'memory', 'origin'].filter((id) => !document.getElementById(id))") == [])
    check("run: the network is drawn", page.value("document.querySelectorAll('.fabric svg circle, .fabric svg rect').length") > 8)
    check("run: links have words", page.value("document.querySelectorAll('.fabric [data-tip]').length") > 8)
    check("run: the makespan", re.fullmatch(r"[\d.]+ (s|ms|µs)", page.value("document.querySelector('.fact strong').textContent")) is not None)

    spans = "document.querySelectorAll('.timeline path').length"
    check("run: the timeline is drawn", page.value(spans) > 2, page.value(spans))
    page.value("document.querySelector('.timeline').focus()")
    ticks = "[...document.querySelectorAll('.timeline .axis text')].map((t) => t.textContent).join()"
    before = page.value(ticks)
    page.key("+", "+")
    check("run: a key zooms", page.value(ticks) != before)
    page.key("0", "0")
    check("run: and shows all", page.value(ticks) == before, page.value(ticks))
    page.key("ArrowDown")
    page.key("ArrowDown")
    page.key("Enter", "\r")
    says = page.value("document.querySelector('#timeline .status').textContent")
    check("run: an operation is read out", "rank 0" in says and "from" in says, says)

    shares = page.value("[...document.querySelectorAll('#path-parts tbody tr')].map((r) => Number(r.cells[2].textContent))")
    check("run: shares of the path add up", abs(sum(shares) - 100) < 0.5, shares)
    type_into(page, "#links .filter input", "npu1 npu2")
    check("run: words filter", "filtered" in page.value("document.querySelector('#links .status').textContent"))
    check("run: still no message", page.problems == [] and page.requests == [], page.problems)
    page.pdf(f"{folder}/run.pdf")


def hostile(browser, folder):
    page = browser.open(f"file://{folder}/hostile.html")
    general(page, "hostile")
    check("hostile: text is text", page.value("document.querySelectorAll('main b, main img, main script, h1 b').length") == 0)
    check("hostile: the name is whole", "</script><b onclick='x()'>" in page.value("document.querySelector('h1').textContent"), page.value("document.querySelector('h1').textContent"))
    check("hostile: what turns text is shown", "[U+202E]" in page.value("document.querySelector('h1').textContent"))
    check("hostile: one script", page.value("document.scripts.length") == 2)


def live(browser, address):
    page = browser.open(address)
    check("live: shown", page.wait("document.body.dataset.sections > 0"), page.value("document.body.textContent")[:200])
    check("live: its own server alone", all(r.startswith(address) for r in page.requests), page.requests)
    check("live: no console message", page.problems == [], page.problems)
    check("live: charts", page.wait("document.querySelectorAll('svg[role=img]').length >= 4"))


def main():
    folder, address = sys.argv[1:3]
    if not find_chromium():
        print("pages: 0 passed, 0 failed, 1 skipped")
        return 0
    with Browser() as browser:
        study(browser, folder)
        run(browser, folder)
        hostile(browser, folder)
        if address != "-":
            live(browser, address)
    print(f"{passed} {failed}")
    return failed > 0


sys.exit(main())
