// What past work teaches: how often sessions failed and what they had in common, the
// Map, what was decided, and what pipelines took.

import { h } from "./dom.js";
import { ask, show, state } from "./store.js";
import { badge, bar, code, empty, panel, standing, table, trouble, when } from "./parts.js";
import { known, number, percent, short, span, t, term } from "./words.js";

export function learningView({ sections }) {
  const section = sections.learning;
  if (!section) return h("div.page", null, empty(t("loading")));
  if (section.problem) return h("div.page", null, trouble(section.problem, t("nav.learning")));
  const x = section.data;
  return h("div.page", null, h("div.columns.half", null,
    h("div.middle", { "data-key": "left" }, x.logs_problem ? trouble(x.logs_problem, t("insights")) : rates(x.insights), x.history_problem ? trouble(x.history_problem, t("past")) : past(x.pipelines)),
    h("div.middle", { "data-key": "right" }, x.map_problem ? trouble(x.map_problem, t("map")) : map(x), x.decisions && log(x.decisions))));
}

const tile = (name, value, note) => h("div.tile", null, h("span.tile-name", null, name), h("span.tile-value", null, value), note && h("span.tile-note", null, note));

function rates(i) {
  if (!i?.total_sessions_with_outcomes) return panel("rates", t("insights"), "", empty(t("insights.none"), t("insights.none.hint")));
  const base = i.base_rate;
  const groups = [
    ["risk", i.risk_level_correlation], ["intent", i.correlations.intent], ["slot", i.correlations.missing_slot], ["override", i.correlations.gate_override],
    ["meaning", i.correlations.semantic_search], ["tool", i.tool_failure_correlation],
  ];
  const rows = [];
  for (const [kind, of] of groups) {
    const all = Object.entries(of ?? {}).sort(([a, x], [b, y]) => y.failures * x.sessions - x.failures * y.sessions || y.sessions - x.sessions || a.localeCompare(b));
    all.forEach(([name, r], n) => rows.push({ key: `${kind}-${name}`, class: n === 0 ? "first" : undefined, cells: [n === 0 ? h("span.muted", null, t(`group.${kind}`)) : "", term(kind, name), `${r.failures}/${r.sessions}`,
      r.failure_rate === undefined ? "" : bar(r.failure_rate, r.failure_rate > (base.failure_rate ?? 0) ? "bad" : "", percent(r.failure_rate)), r.failure_rate === undefined ? h("span.muted", { title: t("few", { n: i.least_cases }) }, "–") : percent(r.failure_rate)] }));
  }
  const points = Object.entries(i.common_failure_points ?? {}).sort(([, a], [, b]) => b - a);
  return panel("rates", t("insights"), t("insights.of", { n: number(i.total_sessions_with_outcomes) }),
    h("div.tiles", null, tile(t("base.rate"), base.failure_rate === undefined ? `${base.failures}/${base.sessions}` : percent(base.failure_rate), base.failure_rate === undefined ? t("few", { n: i.least_cases }) : `${base.failures}/${base.sessions}`),
      tile(term("standing", "success"), number(i.outcome_counts.success)), tile(term("standing", "partial"), number(i.outcome_counts.partial)), tile(term("standing", "failure"), number(i.outcome_counts.failure))),
    table(t("insights"), [t("col.group"), t("col.which"), t("col.failed") + ">", t("col.rate"), ""], rows, "rates"),
    points.length > 0 && h("p.foot", null, t("failed.at"), " ", points.map(([p, n]) => [badge(`${term("phase", p)} ${n}`, "bad"), " "])));
}

function log(l) {
  const { ui } = state;
  const earlier = ui.log ?? null;
  const entries = [...(l?.entries ?? []), ...(earlier?.entries ?? []).filter((e) => e.number < (l?.entries.at(-1)?.number ?? 0))];
  const before = earlier ? earlier.before : l?.before;
  return panel("log", t("log"), number(l?.total ?? 0), !entries.length ? empty(t("log.none")) :
    table(t("log"), [t("col.time"), t("col.request"), t("col.intent"), t("col.risk"), t("col.end")], entries.map((e) => ({ key: `d${e.number}`, cells: [when(e.timestamp),
      h("span", { title: [e.query, (e.tools_planned ?? []).join(", ")].filter(Boolean).join("\n") }, h("span.clip", null, e.query)), term("intent", e.intent), e.risk_level ? term("risk", e.risk_level) : "",
      e.outcome ? standing(e.outcome.outcome) : e.session_id ? h("span.muted", null, "–") : h("span.muted", null, t("no.session"))] })), "log"),
  before > 0 && h("p.foot", null, h("button.quiet", { type: "button", id: "earlier-log", onclick: () => page(before, earlier) }, t("ledger.earlier", { n: number(before - 1) }))));
}

async function page(before, earlier) {
  try {
    const next = await ask("api/log", { before });
    state.ui.log = { before: next.before ?? 0, entries: [...(earlier?.entries ?? []), ...next.entries] };
  } catch {
    return; // the page says that nobody answers
  }
  show();
}

function map(x) {
  return panel("map", t("map"), [number(x.agreements_total), x.superseded ? ` · ${t("superseded", { n: number(x.superseded) })}` : ""],
    (x.faults ?? []).map((f) => trouble({ code: f.path, message: f.reason, next: [] })),
    !x.agreements.length ? empty(t("map.none"), t("map.none.hint")) : h("ul.agreements", null, x.agreements.map((a) => h("li", { "data-key": a.path },
      h("div.agreement-head", null, h("span.phrases", null, a.phrases.map((p) => h("q", null, p))), h("span", { title: t("weight", { n: a.weight.toFixed(2) }) }, bar(a.weight, "good", t("weight", { n: a.weight.toFixed(2) })))),
      h("div.means", null, [...(a.symbols ?? []), ...(a.files ?? [])].slice(0, 8).map((s) => [code(s), " "])),
      h("p.muted", null, a.outcome ? standing(a.outcome) : badge(t("unconfirmed")), " ", known(a.learned_at) && when(a.learned_at), a.confirmed > 0 && ` · ${t("confirmed", { n: a.confirmed })}`, " · ", a.path)))),
    x.agreements_total > x.agreements.length && h("p.muted.foot", null, t("and.more", { n: number(x.agreements_total - x.agreements.length) })));
}

// What the server calls a rate, in the words of the page.
function happened(what) {
  const judged = "not passed at first by ";
  return what.startsWith(judged) ? t("rate.judged", { phase: term("forge", what.slice(judged.length)) }) : term("rate", what);
}

const spread = (s, show) => (!s.cases ? "–" : s.least === s.most ? show(s.median) : h("span", { title: `${show(s.least)} – ${show(s.most)}` }, show(s.median)));

function past(p) {
  if (!p) return panel("past", t("past"), "", empty(t("past.none"), t("past.none.hint")));
  return panel("past", t("past"), t("past.of", { n: number(p.completed), m: number(p.abandoned) }),
    table(t("past"), [t("col.effort"), t("col.runs") + ">", t("tokens") + ">", t("agent.time") + ">", t("revisions") + ">"],
      p.efforts.map((e) => ({ key: e.effort, cells: [badge(e.effort || "?"), number(e.completed), spread(e.tokens, short), spread(e.duration_ms, span), spread(e.revisions, number)] }))),
    h("ul.plainlist", null, p.rates.filter((r) => r.of > 0).map((r) => h("li", { "data-key": r.what }, h("span", null, happened(r.what), ": ", h("strong", null, `${r.count}/${r.of}`), r.share !== undefined ? ` (${percent(r.share)})` : h("span.muted", null, ` ${t("few", { n: 5 })}`))))));
}
