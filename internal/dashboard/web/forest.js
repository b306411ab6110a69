// The index, and the health of the project.

import { h } from "./dom.js";
import { ask, show, state } from "./store.js";
import { badge, bar, code, empty, facts, panel, sign, trouble, when, withCommand } from "./parts.js";
import { bytes, known, number, percent, t, term } from "./words.js";

export function indexView({ sections, ui }) {
  const section = sections.index;
  if (!ui.doctor) examine();
  if (!section) return h("div.page", null, empty(t("loading")));
  return h("div.page", null, h("div.columns.half", null,
    h("div.middle", { "data-key": "left" }, section.problem ? trouble(section.problem, t("nav.index")) : forest(section.data)),
    h("div.middle", { "data-key": "right" }, health(ui.doctor))));
}

const tile = (name, value) => h("div.tile", null, h("span.tile-name", null, name), h("span.tile-value", null, value));

function forest(x) {
  if (!x.there) return panel("index", t("nav.index"), "", empty(t("index.none"), t("index.none.hint")));
  const most = Math.max(1, ...x.languages.map((l) => l.count));
  return [
    x.writing && panel("progress", t("index.writing"), x.listed ? percent(Math.min(1, x.files / x.listed)) : "", h("progress", { max: x.listed || 1, value: Math.min(x.files, x.listed), "aria-label": t("index.writing") }),
      h("p.muted", null, t("index.progress", { n: number(x.files), of: number(x.listed) }))),
    panel("index", t("nav.index"), known(x.synced_at) ? [t("synced"), " ", when(x.synced_at)] : badge(t("index.never"), "warn"),
      h("div.tiles", null, tile(t("files"), number(x.files)), tile(t("symbols"), number(x.symbols)), tile(t("uses"), number(x.occurrences)), tile(t("chunks"), number(x.chunks)), tile(t("source"), bytes(x.bytes)), tile(t("on.disk"), bytes(x.disk_bytes))),
      facts([[t("model"), code(x.embedding_model)], x.vector_store && [t("store"), code(x.vector_store)], [t("generation"), number(x.generation)], [t("segments"), number(x.segments)], x.partial > 0 && [t("partial"), number(x.partial)]])),
    panel("languages", t("languages"), number(x.languages.length), h("ul.bars", null, x.languages.map((l) => h("li", { "data-key": l.name }, h("span.bar-name", null, l.name || t("other")), bar(l.count / most, "", `${l.count}`), h("span.bar-value", null, number(l.count)))))),
    x.skipped.length > 0 && panel("skipped", t("skipped"), "", h("ul.bars", null, x.skipped.map((l) => h("li", { "data-key": l.name }, h("span.bar-name", null, term("class", l.name)), h("span"), h("span.bar-value", null, number(l.count)))))),
  ];
}

const VERDICT = { ok: ["done", "good"], warn: ["warn", "warn"], fail: ["fail", "bad"] };

function health(d) {
  const again = h("button.quiet", { type: "button", id: "examine", disabled: d?.running, onclick: () => { examine(); show(); } }, d?.running ? t("health.running") : t("health.again"));
  if (!d?.report) return panel("health", t("health"), again, d?.problem ? trouble(d.problem) : empty(t("health.running"), t("health.hint")));
  const found = d.report.findings;
  const bad = found.filter((f) => f.verdict !== "ok").length;
  return panel("health", t("health"), [badge(bad ? t("health.bad", { n: bad }) : t("health.good"), found.some((f) => f.verdict === "fail") ? "bad" : bad ? "warn" : "good"), " ", when(d.at), " ", again],
    h("ul.findings", null, found.map((f, n) => {
      const [name, tone] = VERDICT[f.verdict] ?? VERDICT.warn;
      return h("li", { "data-key": `${f.name}${n}` }, sign(name, tone, term("verdict", f.verdict)), h("div", null, h("strong", null, f.name), h("p", null, f.detail), f.fix && h("p.next", null, withCommand(f.fix))));
    })));
}

async function examine() {
  const had = state.ui.doctor;
  if (had?.running) return;
  const mine = (state.ui.doctor = { ...had, running: true });
  let found;
  try {
    found = await ask("api/doctor", {}, {});
  } catch (problem) {
    found = { problem };
  }
  if (state.ui.doctor === mine) state.ui.doctor = found;
  show();
}
