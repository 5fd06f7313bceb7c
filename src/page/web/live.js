/* live - a page that follows a study: data again after each change, progress at once, and what is the matter with the server. */

const LIVE_PAUSE_MS = 2000, LIVE_SAY_MS = 30000;

/* "40 s", "12 min", "3.5 h". */
function spanOf(seconds) {
  if (seconds < 100) return `${figure(Math.ceil(seconds), 2)} s`;
  return seconds < 6000 ? `${figure(Math.ceil(seconds / 60), 2)} min` : `${figure(seconds / 3600, 2)} h`;
}

/* Of a study that is not over, or that cannot be read. `p` is of the data, or an event of orrery serve (orrery.progress/1). */
function progressText(p) {
  if (p.reason) return `The results cannot be read just now: ${visible(p.reason)}`;
  if (!p.total) return "No study is in the store yet.";
  const parts = [`${figure(p.done)} of ${countOf(p.total, "point")} ended`];
  if (p.failed) parts.push(`${figure(p.failed)} failed`);
  if (p.points_per_s) parts.push(`${figure(p.points_per_s, 3)} points/s`);
  if (p.left_s) parts.push(`${spanOf(p.left_s)} left`);
  const more = { stopped: ". No sweep is running.", queued: ". Jobs of a cluster have the rest; it comes when it is merged." };
  return parts.join(", ") + (more[p.state] ?? "");
}

function progressOf(p) {
  if (!p || (!p.reason && p.total && p.done >= p.total)) return null;
  const bar = p.reason || !p.total ? null : el("progress", { max: p.total, value: p.done, "aria-label": "points that have ended" });
  return el("div", { class: p.reason ? "progress mistake" : "progress" }, bar, el("span", {}, progressText(p)));
}

/* Says things to those who listen to the page: what changed at once, figures now and then. */
class Herald {
  constructor() {
    this.node = el("p", { class: "unseen", role: "status" });
    this.kind = "";
    this.saidMs = 0;
    document.body.prepend(this.node);
  }

  say(kind, text) {
    const now = Date.now();
    if (kind === this.kind && now - this.saidMs < LIVE_SAY_MS) return;
    Object.assign(this, { kind, saidMs: now });
    this.node.textContent = text;
  }
}

class Live {
  constructor(source, kept) {
    Object.assign(this, { source, kept, isBusy: false, isDue: false, progress: null, tag: null, version: null, herald: new Herald() });
    kept.pointsAt = source.dataset.points;
    const events = new EventSource(source.dataset.events);
    for (const name of ["message", "progress", "change"]) events.addEventListener(name, (event) => this.take(event.data));
    events.addEventListener("end", (event) => { events.close(); this.take(event.data); });
    events.addEventListener("error", () => this.lose());
    this.load();
  }

  take(text) {
    try {
      this.progress = JSON.parse(text);
      this.show();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // a message without figures
    }
    // A study that has ended says so again and again: what is shown is that already.
    if (!this.progress || this.progress.state !== "ended" || this.progress.version !== this.version) this.load();
  }

  /* The server is gone; the browser asks again by itself. */
  lose() {
    this.progress = { ...this.progress, reason: "the server does not answer", state: "lost" };
    this.show();
  }

  show() {
    const p = this.progress, at = document.getElementById("top"), fresh = progressOf(p);
    const old = at.querySelector(".progress");
    if (old) old.remove();
    if (fresh) at.insertBefore(fresh, at.querySelector(".facts"));
    this.herald.say(p.state, p.state === "ended" ? "All points have ended." : progressText(p));
  }

  async load() {
    if (this.isBusy) return void (this.isDue = true);
    this.isBusy = true;
    const { version } = this.progress ?? {};
    try {
      const answer = await fetch(this.source.dataset.from, { cache: "no-cache" });
      if (!answer.ok) throw new Error(`the server said ${answer.status}`);
      const tag = answer.headers.get("ETag"), data = await answer.json();
      if (!tag || tag !== this.tag) this.renew(data);
      Object.assign(this, { tag, version });
    } catch (error) {
      if (!document.body.dataset.sections) fail(error);
    }
    setTimeout(() => {
      this.isBusy = false;
      if (this.isDue) this.load(this.isDue = false);
    }, LIVE_PAUSE_MS);
  }

  /* Where the reader is, and what has the focus, stays. Data may be older than the last event. */
  renew(data) {
    const [x, y, focused] = [window.scrollX, window.scrollY, document.activeElement && document.activeElement.id];
    show(data, this.kept);
    if (this.progress) this.show();
    window.scrollTo(x, y);
    if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  }
}
