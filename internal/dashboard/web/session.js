// The session: its phases, its tasks, what it has been seen to do, and the gate.

import { h, icon } from "./dom.js";
import { ask, show, state } from "./store.js";
import { question } from "./gate.js";
import { badge, bar, code, empty, facts, fold, panel, sign, standing, table, trouble, when } from "./parts.js";
import { bytes, clock, known, number, span, t, term } from "./words.js";

export function sessionView({ sections, ui }, at) {
  const section = sections.session;
  if (!section) return h("div.page", null, empty(t("loading")));
  if (section.problem) return h("div.page", null, trouble(section.problem, t("nav.session")));
  const { sessions, total, current } = section.data;
  let s = current;
  if (at.id && at.id !== current?.id) {
    fetchSession(ui, at.id);
    if (ui.shown?.problem) return h("div.page", null, trouble(ui.shown.problem, at.id), list(sessions, total, at.id));
    s = ui.shown?.id === at.id ? ui.shown : null;
    if (!s) return h("div.page", null, empty(t("loading")));
  }
  if (!s) return h("div.page", null, empty(t("session.none"), t("session.none.hint")));
  return h("div.page", null, head(s),
    h("div.columns.three", null,
      h("div.side", { "data-key": "left" }, phases(s)),
      h("div.middle", { "data-key": "middle" }, s.gate && gate(s.gate), s.fault && trouble({ code: "unreadable", message: s.fault, next: [] }), tasks(s), verification(s), ledger(s)),
      h("div.side", { "data-key": "right" }, level(s), about(s), decisions(s), warnings(s), more(s), list(sessions, total, s.id))));
}

async function fetchSession(ui, id) {
  const stamp = `${id} ${state.sections.session?.data?.sessions?.find((x) => x.id === id)?.updated} ${document.documentElement.lang}`;
  if (ui.fetching === stamp) return;
  ui.fetching = stamp;
  try {
    ui.shown = await ask("api/session", { id });
  } catch (problem) {
    ui.shown = { id, problem };
  }
  show();
}

function head(s) {
  return h("div.head", null,
    h("div.head-line", null, standing(s.outcome || s.standing), s.intent && badge(term("intent", s.intent)), s.risk && badge(t("risk", { risk: term("risk", s.risk) }), { HIGH: "bad", MEDIUM: "warn" }[s.risk]),
      (s.flags ?? []).map((f) => code(f)), h("span.muted.mono", null, s.id)),
    h("h1", null, s.query || s.id),
    h("p.muted", null, known(s.started) && [t("started"), " ", when(s.started)], known(s.updated) && [" · ", t("updated"), " ", when(s.updated)], s.holder && [" · ", h("span", { title: s.holder }, s.holder.split(",")[0])],
      s.reason && [" · ", s.reason]));
}

// ------------------------------------------------------------------ the phases

const STAGE = { done: ["done", "good"], current: ["current", "accent"], skipped: ["skip", "faint"], ahead: ["pending", "faint"] };

function phases(s) {
  if (!s.steps?.length) return null;
  const walked = s.steps.filter((x) => x.stage === "done").length;
  return panel("phases", t("phases"), t("phases.walked", { n: walked }),
    h("ol.rail", null, s.steps.filter((x) => x.visits || !x.off).map((x) => {
      const [name, tone] = STAGE[x.stage] ?? STAGE.ahead;
      return h(`li.${x.stage}`, { "data-key": x.phase, "aria-current": x.stage === "current" ? "step" : undefined, title: x.phase },
        sign(name, tone, t(`stage.${x.stage}`)), h("span.rail-name", null, term("phase", x.phase)),
        h("span.rail-tail", null, x.visits > 1 && h("span.times", { title: t("visits", { n: x.visits }) }, `×${x.visits}`),
          x.stage === "current" ? h("span.rail-time", { "data-since": x.began }, span(Date.now() - new Date(x.began))) : x.visits > 0 && h("span.rail-time", null, span(x.duration_ms))));
    })));
}

// -------------------------------------------------------------------- the gate

function gate(g) {
  return question({ key: g.nonce, title: t("gate.title"), aside: [term("phase", g.phase), " · ", when(g.opened)], text: h("p.ask", null, g.text), options: g.options ?? [],
    open: g.open, why: g.why, answered: g.answered, note: t("gate.holds"), send: (said) => ({ session: g.session, nonce: g.nonce, ...said }) });
}

// ------------------------------------------------------------------- the tasks

const ITEM = { done: ["done", "good"], skipped: ["skip", "warn"], pending: ["pending", "faint"], completed: ["done", "good"] };

function tasks(s) {
  if (!s.tasks.length) {
    return panel("tasks", t("tasks"), "", empty(s.outcome ? t("tasks.never") : t("tasks.none"), s.outcome ? "" : t("tasks.none.hint")));
  }
  const done = s.tasks.filter((k) => k.status === "completed").length;
  const now = s.outcome ? undefined : s.tasks.find((k) => k.status !== "completed")?.id;
  return panel("tasks", t("tasks"), [bar(done / s.tasks.length, "good", t("tasks.done", { n: done, of: s.tasks.length })), h("span", null, `${done}/${s.tasks.length}`)],
    h("ol.tasks", null, s.tasks.map((k) => task(k, k.id === now))));
}

function task(k, now) {
  const [name, tone] = now ? ["current", "accent"] : ITEM[k.status] ?? ITEM.pending;
  const settled = (k.checklist ?? []).filter((i) => i.status !== "pending").length;
  return h("li.task", { "data-key": k.id, class: now && "now" },
    h("div.task-head", null, sign(name, tone, now ? t("stage.current") : term("status", k.status)), h("span.id", null, k.id), h("span.what", null, k.description),
      k.failure_count > 0 && badge(t("failures", { n: k.failure_count }), "bad"), h("span.count", null, `${settled}/${(k.checklist ?? []).length}`)),
    h("ul.checklist", null, (k.checklist ?? []).map((i, n) => {
      const [sn, st] = ITEM[i.status] ?? ITEM.pending;
      return h("li", { "data-key": n }, sign(sn, st, term("status", i.status || "pending")), h("span", null, i.item),
        h("span.proof", null, (i.evidence ?? "").split(/\s*,\s*/).filter(Boolean).map((e) => code(e)), i.pre_existing && badge(t("pre_existing"), "warn"), i.reason && h("span.muted", null, i.reason)));
    })),
    k.revert_reason && h("p.reverted", null, t("reverted"), " ", k.revert_reason),
    k.summary && h("p.muted.summary", null, k.summary));
}

function verification(s) {
  const v = s.verify;
  if (!v) return null;
  return panel("verify", t("verify"), [t("verify.round", { n: v.rounds }), " ", badge(v.passed ? t("passed") : t("failed"), v.passed ? "good" : "bad")],
    v.details && h("p.pre", null, v.details),
    (v.commands ?? []).length > 0 && h("ul.plainlist", null, v.commands.map((c) => h("li", { "data-key": c.name },
      sign(c.skipped ? "skip" : c.passed ? "done" : "fail", c.skipped ? "warn" : c.passed ? "good" : "bad", c.skipped ? t("status.skipped") : c.passed ? t("passed") : t("failed")),
      h("span", null, c.name, " ", c.command && code(c.command.join(" ")), " ", h("span.muted", null, c.skipped || c.why || span(c.duration_ms)), c.tail && fold(`tail-${c.name}`, t("output"), undefined, h("pre", null, c.tail)))))));
}

// ------------------------------------------------------------------ the ledger

const KIND = { tool: "", event: "", transition: "accent", git: "violet", decision: "warn" };
const OUTCOME = { ok: ["done", "good"], empty: ["pending", "faint"], error: ["fail", "bad"], blocked: ["skip", "bad"] };

function ledger(s) {
  const l = s.ledger;
  const { ui } = state;
  const earlier = ui.paged?.session === s.id ? ui.paged : null;
  const entries = [...l.entries, ...(earlier?.entries ?? []).filter((e) => e.seq < (l.entries.at(-1)?.seq ?? 0))];
  const before = earlier ? earlier.before : l.before;
  const whole = l.total || l.whole ? badge(l.whole ? t("ledger.whole") : t("ledger.broken"), l.whole ? "good" : "bad") : null;
  return panel("ledger", t("ledger"), [number(l.total), " ", t("entries"), l.bytes > 0 && ` · ${bytes(l.bytes)} `, " ", whole],
    !l.whole && l.why && trouble({ code: "ledger", message: l.why, next: [] }),
    !entries.length ? empty(t("ledger.none")) : table(t("ledger"), ["#>", t("col.time"), t("col.kind"), t("col.what"), t("col.detail"), t("col.took") + ">"],
      entries.map((e) => ({ key: `e${e.seq}`, class: e.outcome === "blocked" || e.outcome === "error" ? "bad" : e.kind === "transition" ? "move" : undefined, cells: row(e) })), "ledger"),
    before > 0 && h("p.foot", null, h("button.quiet", { type: "button", id: "earlier", onclick: () => page(s.id, before, earlier) }, t("ledger.earlier", { n: number(before - 1) }))));
}

function row(e) {
  const [name, tone] = OUTCOME[e.outcome] ?? ["pending", "faint"];
  const what = e.kind === "transition" ? [h("span.muted", null, term("phase", e.phase)), " → ", h("strong", null, term("phase", e.name))] : [sign(name, tone, t(`outcome.${e.outcome || "ok"}`)), code(e.name)];
  const d = { ...(e.detail ?? {}) };
  const files = (e.files ?? []).slice(0, 3).map((f) => code(f));
  const tail = e.kind === "git" || e.kind === "decision" ? Object.entries(d).map(([k, v]) => `${k} ${v}`).join(", ") : d.why || d.reason || d.command || d.kind || "";
  return [h("span.muted", null, e.seq), h("time", { datetime: e.time, title: e.time }, clock(e.time)), badge(t(`kind.${e.kind}`), KIND[e.kind]), h("span.what", null, what),
    h("span.detail", { title: [tail, ...(e.files ?? [])].filter(Boolean).join("\n") || undefined }, files, (e.files ?? []).length > 3 && h("span.muted", null, ` +${e.files.length - 3}`), tail && h("span.muted", null, " ", tail)),
    h("span.muted", null, e.duration_ms ? span(e.duration_ms) : "")];
}

async function page(id, before, earlier) {
  try {
    const next = await ask("api/ledger", { id, before });
    state.ui.paged = { session: id, before: next.before ?? 0, entries: [...(earlier?.entries ?? []), ...next.entries] };
  } catch (problem) {
    state.ui.paged = { session: id, before, entries: earlier?.entries ?? [], problem };
  }
  show();
}

// -------------------------------------------------------------------- the side

function level(s) {
  const reached = Number((s.level.reached ?? "L0").slice(1));
  if (!s.level.reached) return null;
  return panel("level", t("level"), s.level.required && s.level.required !== "L1" ? t("level.required", { level: s.level.required }) : "",
    h("div.meter", { role: "img", "aria-label": t("level.is", { level: s.level.reached }) }, [0, 1, 2, 3].map((n) => h("span", { "data-key": n, class: n <= reached ? "on" : undefined }, `L${n}`))),
    h("p", null, t(`level.${s.level.reached}`)), s.level.warning && h("p.warned", null, sign("warn", "warn", t("warning")), s.level.warning));
}

function about(s) {
  return panel("about", t("about"), "", facts([
    s.branch && [t("branch"), code(s.branch)], s.base && [t("base"), code(s.base)],
    s.commits?.length && [t("commits"), s.commits.map((c) => [code(c.slice(0, 10)), " "])],
    [t("calls"), number(s.counts.calls)], [t("hooks"), number(s.counts.events)],
    s.counts.blocked > 0 && [t("blocked"), h("span.bad", null, number(s.counts.blocked))],
  ]),
  fold("explored", t("explored"), number(s.counts.explored), files(s.explored, s.counts.explored)),
  fold("approved", t("approved"), number(s.counts.approved), files(s.approved, s.counts.approved)));
}

const files = (list, total) => h("ul.files", null, list.map((f) => h("li", null, code(f))), total > list.length && h("li.muted", null, t("and.more", { n: number(total - list.length) })));

function decisions(s) {
  if (!s.decisions?.length) return null;
  return panel("decisions", t("decisions"), "", h("ul.plainlist", null, s.decisions.map((d, n) => h("li", { "data-key": n }, icon("person"),
    h("span", null, h("strong", null, d.choice), " ", h("span.muted", null, term("phase", d.phase), " · ", term("channel", d.channel), " · ", when(d.at)), d.guidance && h("p.quote", null, d.guidance))))));
}

function warnings(s) {
  if (!s.warnings?.length) return null;
  return panel("warnings", t("warnings"), "", h("ul.plainlist", null, s.warnings.map((w, n) => h("li", { "data-key": n }, sign("warn", "warn", t("warning")), h("span", null, w)))));
}

function more(s) {
  const parts = [
    s.summaries?.length && fold("summaries", t("summaries"), s.summaries.length, h("ol.notes", null, s.summaries.map((x) => h("li", null, h("strong", null, term("phase", x.phase)), h("p", null, x.text))))),
    s.rules?.length && fold("rules", t("rules"), s.rules.length, h("ul.notes", null, s.rules.map((x) => h("li", null, h("p", null, x.rule), code(x.source))))),
    s.findings?.length && fold("findings", t("findings"), s.findings.length, h("ul.notes", null, s.findings.map((x) => h("li", null, x)))),
  ].filter(Boolean);
  return parts.length ? panel("more", t("notes"), "", parts) : null;
}

function list(sessions, total, at) {
  return panel("sessions", t("sessions"), number(total), h("ul.list", null, sessions.map((s) =>
    h("li", { "data-key": s.id }, h("a", { href: `#/session/${s.id}`, "aria-current": s.id === at ? "true" : undefined },
      h("span.list-title", null, s.query || s.fault || s.id), h("span.list-meta", null, standing(s.outcome || s.standing), s.waits && badge(t("waits"), "warn"), known(s.updated) && when(s.updated)))))),
  total > sessions.length && h("p.muted.foot", null, t("and.more", { n: number(total - sessions.length) })));
}
