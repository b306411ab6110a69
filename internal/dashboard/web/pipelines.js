// The pipelines: the list, and one of them phase by phase.

import { h, icon } from "./dom.js";
import { question } from "./gate.js";
import { ask, show, state } from "./store.js";
import { badge, bar, code, command, empty, fold, panel, sign, standing, table, trouble, verdict, when, withCommand } from "./parts.js";
import { clock, date, known, number, short, span, t, term } from "./words.js";

export function pipelineView({ sections, ui }, at) {
  const section = sections.pipelines;
  if (!section) return h("div.page", null, empty(t("loading")));
  if (section.problem) return h("div.page", null, trouble(section.problem, t("nav.pipelines")));
  const { pipelines, total, damaged, current, unreadable, may_start } = section.data;
  const beginning = may_start && start();
  const broken = damaged?.length && trouble({ code: "state_damaged", message: t("pipelines.damaged", { which: damaged.join(", ") }), next: [] });
  if (!total) return h("div.page", null, broken, beginning, empty(t("pipelines.none"), t("pipelines.none.hint")));
  let p = current;
  const wanted = at.id && `.specs/${at.id}`;
  if (wanted && wanted !== current?.pipeline.workspace) {
    fetchPipeline(ui, at.id, pipelines.find((x) => x.workspace === wanted)?.updated);
    p = ui.pipeline?.of === at.id ? ui.pipeline : null;
  }
  const body = p?.problem ? trouble(p.problem) : !p && unreadable ? trouble(unreadable) : !p ? empty(t("loading")) : one(p);
  return h("div.page", null, broken, beginning,
    h("div.columns.two", null, h("div.side", { "data-key": "left" }, list(pipelines, total, p?.pipeline?.workspace ?? wanted)), h("div.middle", { "data-key": "middle" }, body)));
}

async function fetchPipeline(ui, id, updated) {
  const stamp = `${id} ${updated} ${document.documentElement.lang}`;
  if (ui.fetchingPipeline === stamp) return;
  ui.fetchingPipeline = stamp;
  try {
    ui.pipeline = { of: id, ...await ask("api/pipeline", { id }) };
  } catch (problem) {
    ui.pipeline = { of: id, problem };
  }
  show();
}

function list(pipelines, total, at) {
  return panel("pipelines", t("nav.pipelines"), number(total), h("ul.list", null, pipelines.map((p) =>
    h("li", { "data-key": p.workspace }, h("a", { href: `#/pipelines/${encodeURIComponent(p.workspace.replace(".specs/", ""))}`, "aria-current": p.workspace === at ? "true" : undefined },
      h("span.list-title", null, p.title || p.workspace), h("span.list-meta", null, standing(p.status), badge(p.effort), p.waits && badge(t("waits"), "warn"),
        p.status === "active" && h("span", null, term("forge", p.phase) === p.phase ? p.label : term("forge", p.phase)), known(p.updated) && when(p.updated)))))),
  total > pipelines.length && h("p.muted.foot", null, t("and.more", { n: number(total - pipelines.length) })));
}

// ------------------------------------------------------------------ begin one

/** What is typed after /forge; then what it would begin; then what to type in the agent. */
function start() {
  const draft = (state.ui.start ??= { line: "" });
  const send = (body, then) => async (e) => {
    e?.preventDefault();
    Object.assign(draft, { sending: true, problem: null });
    show();
    try {
      then(await ask("api/start", {}, { line: draft.line, ...body() }));
    } catch (problem) {
      draft.problem = problem;
    }
    draft.sending = false;
    show();
  };
  const again = (line) => () => { state.ui.start = { line, open: true }; show(); };
  const steps = () => {
    if (draft.begun) {
      return h("div.decide", { "data-key": "begun", role: "status" }, h("p", null, sign("done", "good", t("start.begun")), " ", t("start.begun"), " ", code(draft.begun.branch)),
        h("p", null, t("start.take.up"), " ", command(draft.begun.line)), h("button.quiet", { type: "button", onclick: again("") }, t("start.another")));
    }
    if (!draft.plan) {
      return h("form.decide", { "data-key": "line", onsubmit: send(() => ({}), (plan) => Object.assign(draft, { plan, effort: plan.effort })) },
        h("label.field", { for: "start-line" }, t("start.line")),
        h("textarea", { id: "start-line", rows: 2, maxlength: 8000, placeholder: "--nopr Add an export to CSV", oninput: (e) => { draft.line = e.target.value; } }, draft.line),
        h("div.sure", null, h("button.button", { type: "submit", id: "start-plan", disabled: draft.sending }, t("start.plan")), h("p.muted", null, t("start.hint"))));
    }
    return h("form.decide", { "data-key": "plan", onsubmit: send(() => ({ workspace: draft.plan.workspace, effort: draft.effort }), (begun) => Object.assign(draft, { begun })) },
      h("div.prose", null, h("blockquote", null, prose(draft.plan.request)), h("p", null, draft.plan.says)),
      h("fieldset", null, h("legend.unseen", null, t("start.effort")), draft.plan.efforts.map((e) => h("label.option", { "data-key": e, class: draft.effort === e && "chosen" },
        h("input", { type: "radio", name: "effort", id: `effort-${e}`, value: e, checked: draft.effort === e, onchange: () => { draft.effort = e; show(); } }),
        h("span", null, h("strong", null, e), " ", h("span.muted", null, t(`start.effort.${e}`)))))),
      h("div.sure", null, h("button.button", { type: "submit", id: "start-confirm", disabled: draft.sending }, t("start.confirm")),
        h("button.quiet", { type: "button", onclick: again(draft.line) }, t("gate.cancel")), h("p.muted", null, t("start.nothing.runs"))));
  };
  if (!draft.open && !draft.plan) return h("p", { "data-key": "start" }, h("button.quiet", { type: "button", id: "start", onclick: () => { draft.open = true; show(); } }, t("start")));
  return panel("start", t("start"), "", steps(), draft.problem && trouble(draft.problem));
}

const label = (step) => (term("forge", step.phase) === step.phase ? step.label : term("forge", step.phase));

function one(p) {
  const i = p.pipeline;
  const redone = p.steps.reduce((n, s) => n + s.revisions, 0);
  return h("div", { "data-key": i.workspace },
    h("div.head", null, h("div.head-line", null, standing(i.status), badge(t("effort", { effort: i.effort })), badge(term("flow", i.flow_template)), h("span.muted.mono", null, i.workspace)),
      h("h1", null, i.title), h("p.muted", null, known(i.created) && [t("started"), " ", when(i.created)], known(i.updated) && [" · ", t("updated"), " ", when(i.updated)], " · ", code(i.branch),
        i.pull_request && [" · ", code(i.pull_request)])),
    h("div.tiles", null, tile(t("tokens"), short(i.stats.tokens)), tile(t("agent.time"), span(i.stats.duration_ms)),
      tile(t("elapsed"), i.status === "active" ? h("span", { "data-since": i.created }, span(Date.now() - new Date(i.created))) : span(new Date(i.updated) - new Date(i.created))),
      tile(t("revisions"), number(redone)), tile(t("tasks"), i.tasks.length ? `${i.tasks.filter((k) => ["passed", "done", "skipped"].includes(k.status)).length}/${i.tasks.length}` : "–")),
    p.desk && asked(p.desk),
    timeline(p), agents(p), tasks(i), decided(i), journal(p), stop(p));
}

const tile = (name, value) => h("div.tile", null, h("span.tile-name", null, name), h("span.tile-value", null, value));

// ------------------------------------------------------------------ the question

function asked(d) {
  return question({ key: `${d.workspace} ${d.ticket}`, title: t("checkpoint"), aside: [term("forge", d.name), known(d.since) && d.since && [" · ", when(d.since)]],
    text: h("div.ask.prose", null, prose((d.text ?? "").replace(/^## .*\n/, ""))), options: [...d.options, ...d.unlisted], open: d.open, why: d.why, note: t("desk.holds"),
    send: (said) => ({ workspace: d.workspace, ticket: d.ticket, ...said }) });
}

// What agents and the server write is Markdown of a simple kind. It becomes elements
// one by one; whatever it holds, it is text.
function prose(text) {
  const out = [];
  let items = null;
  let quoted = null;
  for (const line of (text ?? "").split("\n")) {
    if (line.startsWith(">")) {
      (quoted ??= []).push(line.replace(/^>\s?/, ""));
      continue;
    }
    if (quoted) out.push(h("blockquote", null, prose(quoted.join("\n"))));
    quoted = null;
    const item = /^\s*[-*] (.*)$/.exec(line);
    if (item) {
      if (!items) out.push(items = h("ul"));
      items.append(h("li", null, inline(item[1])));
      continue;
    }
    items = null;
    const head = /^#{1,4} (.*)$/.exec(line);
    if (head) out.push(h("p", null, h("strong", null, head[1])));
    else if (line.trim()) out.push(h("p", null, inline(line)));
  }
  if (quoted) out.push(h("blockquote", null, prose(quoted.join("\n"))));
  return out;
}

const inline = (text) => text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
  part.startsWith("`") && part.length > 2 ? code(part.slice(1, -1)) : part.startsWith("**") && part.length > 4 ? h("strong", null, part.slice(2, -2)) : part);

// ------------------------------------------------------------------ what agents did

const name = (i) => i.workspace.replace(".specs/", "");

async function read(i, path, values, title) {
  const reading = state.ui.reading = { of: i.workspace, title, text: null };
  show();
  try {
    reading.text = (await ask(path, { id: name(i), ...values })).text;
  } catch (problem) {
    reading.problem = problem;
  }
  show();
}

function agents(p) {
  const i = p.pipeline;
  const runs = p.steps.flatMap((s) => s.runs.map((r, n) => ({ ...r, step: s, n })));
  if (!runs.length) return null;
  const last = (r) => r.step.runs.findLast((o) => (o.task ?? "") === (r.task ?? "")) === r.step.runs[r.n];
  const reading = state.ui.reading?.of === i.workspace ? state.ui.reading : null;
  return panel("agents", t("agents"), number(runs.length), table(t("agents"), [t("col.phase"), "#", t("col.model"), t("col.verdict"), t("col.time.taken") + ">", t("tokens") + ">", ""],
    runs.map((r) => {
      const file = (r.step.writes ?? "").replace("{task}", r.task ?? "");
      const commit = r.step.kind === "agent_per_task" && i.tasks.find((k) => k.id === r.task)?.commit;
      return { key: `${r.step.phase} ${r.n}`, cells: [label(r.step), r.task ?? "", r.model ?? "", r.verdict ? verdict(r.verdict) : "", r.duration_ms ? span(r.duration_ms) : "", r.tokens ? short(r.tokens) : "",
        last(r) && [file && h("button.quiet", { type: "button", title: t("read.artifact"), onclick: () => read(i, "api/artifact", { name: file }, file) }, file), " ",
          commit && h("button.quiet", { type: "button", title: t("read.diff"), onclick: () => read(i, "api/diff", { task: r.task }, commit.slice(0, 10)) }, "diff")]] };
    })), reading && reader(reading));
}

function reader(r) {
  const body = r.problem ? trouble(r.problem) : r.text === null ? h("p.muted", null, t("loading")) : !r.text ? h("p.muted", null, t("read.nothing"))
    : r.title.endsWith(".md") ? h("div.prose", null, prose(r.text)) : h("pre.diff", { tabindex: 0 }, r.text.split("\n").map((l) => h(`span${l.startsWith("+") ? ".add" : l.startsWith("-") ? ".del" : ""}`, null, l + "\n")));
  return h("div.reader", { "data-key": `read ${r.title}`, role: "region", "aria-label": r.title }, h("div.head-line", null, code(r.title),
    h("button.quiet", { type: "button", onclick: () => { state.ui.reading = null; show(); } }, t("read.close"))), body);
}

function stop(p) {
  const i = p.pipeline;
  if (!p.stop) return null;
  const draft = (state.ui.stops ??= {})[i.workspace] ??= { reason: "" };
  const send = async () => {
    draft.sending = true;
    show();
    try {
      await ask("api/stop", {}, { workspace: i.workspace, reason: draft.reason });
      delete state.ui.stops[i.workspace];
      state.ui.fetchingPipeline = "";
    } catch (problem) {
      Object.assign(draft, { problem, sending: false });
    }
    show();
  };
  if (!p.stop.open) return panel("stop", t("stop"), "", h("p.muted", null, t("stop.where"), " ", p.stop.why?.message ?? ""), (p.stop.why?.next ?? []).map((n) => h("p.next", null, withCommand(n))));
  return panel("stop", t("stop"), "", draft.sure
    ? h("div", { "data-key": "sure" }, h("p", null, t("stop.sure")), h("label.field", { for: "stop-reason" }, t("stop.reason")),
      h("textarea", { id: "stop-reason", rows: 2, maxlength: 4000, oninput: (e) => { draft.reason = e.target.value; } }),
      h("div.sure", null, h("button.button", { type: "button", id: "stop-confirm", disabled: draft.sending, onclick: send }, t("stop.confirm")),
        h("button.quiet", { type: "button", onclick: () => { draft.sure = false; show(); } }, t("gate.cancel"))), draft.problem && trouble(draft.problem))
    : h("button.quiet", { type: "button", id: "stop", onclick: () => { draft.sure = true; show(); } }, t("stop")));
}

// ------------------------------------------------------------------ the timeline

const STAGE = { done: ["done", "good"], current: ["current", "accent"], skipped: ["skip", "faint"], ahead: ["pending", "faint"] };
const OFF = ["checkpoint-design", "checkpoint-tasks", "checkpoint-impl", "checkpoint-verification"];

function timeline(p) {
  const steps = p.steps.filter((s) => s.stage === "current" || s.runs.length || !OFF.includes(s.phase) || s.began);
  const most = Math.max(1, ...steps.map((s) => s.duration_ms));
  return panel("timeline", t("timeline"), "", table(t("timeline"), ["", t("col.phase"), t("col.began"), t("col.verdict"), t("col.runs") + ">", t("col.time.taken"), "", t("tokens") + ">"],
    steps.map((s) => {
      const [name, tone] = STAGE[s.stage] ?? STAGE.ahead;
      const last = s.runs.filter((r) => r.verdict).at(-1);
      return { key: s.phase, class: s.stage, cells: [sign(name, tone, t(`stage.${s.stage}`)), [h("span", { title: s.phase }, label(s)), s.kind === "checkpoint" && h("span.person", null, icon("person"))],
        known(s.began) && s.began ? h("time", { datetime: s.began, title: date(s.began) }, clock(s.began)) : "", last ? verdict(last.verdict) : "",
        s.runs.length ? [number(s.runs.length), s.revisions > 0 && h("span.times", { title: t("revised", { n: s.revisions }) }, ` ↻${s.revisions}`)] : "",
        s.duration_ms ? bar(s.duration_ms / most, s.stage === "current" ? "accent" : "", span(s.duration_ms)) : "", s.duration_ms ? span(s.duration_ms) : "", s.tokens ? short(s.tokens) : ""] };
    }), "timeline"));
}

const TASK = { pending: ["pending", "faint"], implemented: ["current", "accent"], failed: ["fail", "bad"], passed: ["done", "good"], done: ["done", "good"], skipped: ["skip", "warn"] };

function tasks(i) {
  if (!i.tasks.length) return null;
  return panel("ptasks", t("tasks"), "", table(t("tasks"), ["", "#", t("col.what"), t("col.verdict"), t("col.retries") + ">", t("col.commit")],
    i.tasks.map((k) => {
      const [name, tone] = TASK[k.status] ?? TASK.pending;
      return { key: k.id, cells: [sign(name, tone, term("task", k.status)), k.id, k.title, k.verdict ? verdict(k.verdict) : "", k.retries || "", k.commit ? code(k.commit.slice(0, 10)) : ""] };
    })));
}

function decided(i) {
  if (!i.decisions.length) return null;
  return panel("pdecisions", t("decisions"), "", h("ul.plainlist", null, i.decisions.map((d, n) => h("li", { "data-key": n }, icon("person"),
    h("span", null, h("strong", null, d.choice), " ", h("span.muted", null, term("forge", d.name), " · ", term("channel", d.by), known(d.at) && d.at && [" · ", when(d.at)]), d.text && h("p.quote", null, d.text))))));
}

function journal(p) {
  return panel("journal", t("journal"), number(p.journal_total), p.journal_problem && trouble(p.journal_problem),
    fold("journal", t("journal.show"), undefined, table(t("journal"), ["#>", t("col.time"), t("col.what"), t("col.phase"), t("col.detail")],
      p.journal.map((e) => ({ key: `j${e.seq}`, cells: [h("span.muted", null, e.seq), h("time", { datetime: e.time, title: e.time }, clock(e.time)), term("event", e.event), e.phase ?? "",
        h("span.detail", null, [e.ticket, e.by && term("channel", e.by), ...Object.entries(e.detail ?? {}).filter(([, v]) => v).map(([k, v]) => `${k}: ${v}`)].filter(Boolean).join(" · "))] })), "ledger")));
}
