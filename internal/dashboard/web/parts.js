// The parts that views are made of.

import { h, icon } from "./dom.js";
import { ago, date, known, t, term } from "./words.js";

/** A box with a heading. What belongs to the heading stands at its right. */
export function panel(key, title, aside, ...body) {
  const id = `h-${key}`;
  return h("section.panel", { "data-key": key, "aria-labelledby": id },
    h("div.panel-head", null, h("h2", { id }, title), aside && h("div.panel-aside", null, aside)), ...body);
}

/** A small word in a colour that says how it is. */
export const badge = (text, tone) => h(`span.badge${tone ? "." + tone : ""}`, null, text);

/** A sign that says how something stands, in words for those who do not see it. */
export const sign = (name, tone, words) => h(`span.sign.${tone}`, { title: words, role: "img", "aria-label": words }, icon(name));

/** A time, as how long ago; the ticking is main.js's. */
export function when(at) {
  if (!known(at)) return "–";
  return h("time", { datetime: at, title: date(at), "data-ago": at }, ago(at));
}

/** Names and values in two columns. */
export const facts = (pairs) => h("dl.facts", null, pairs.filter((p) => p && p[1] !== undefined && p[1] !== "" && p[1] !== null)
  .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));

export const code = (text) => h("code", null, text);

/** A command to type, with a button that copies it. */
export function command(text) {
  return h("span.command", null, h("code", null, text), h("button.plain", {
    type: "button", title: t("copy"), "aria-label": t("copy.what", { what: text }),
    onclick: (e) => { navigator.clipboard?.writeText(text); e.currentTarget.classList.add("copied"); },
  }, icon("copy")));
}

/** What stands in the place of what cannot be shown. */
export function trouble(problem, title) {
  return h("div.trouble", { role: "alert" }, sign("warn", "bad", t("trouble")),
    h("div", null, title && h("strong", null, title), h("p", null, problem.message), (problem.next ?? []).map((n) => h("p.next", null, withCommand(n))),
      h("p.muted", null, problem.code)));
}

/** A sentence, with a command of ours in it set apart. */
export function withCommand(text) {
  const m = /^(.*?)(code-intel [^.,;:。、]*[^.,;:。、\s])(.*)$/s.exec(text ?? "");
  return m ? [m[1], command(m[2]), m[3]] : text;
}

export const empty = (text, hint) => h("div.empty", null, h("p", null, text), hint && h("p.muted", null, withCommand(hint)));

/** A list that unfolds. */
export function fold(key, title, count, ...body) {
  return h("details.fold", { "data-key": key }, h("summary", null, h("span", null, title), count !== undefined && h("span.count", null, count)), ...body);
}

/** A bar that is so full. */
export const bar = (share, tone, label) => h(`span.bar${tone ? "." + tone : ""}`, { role: "img", "aria-label": label },
  h("i", { width: `${Math.max(0, Math.min(1, share)) * 100}%` }));

/** A table. Columns that hold figures end in ">". */
export function table(caption, heads, rows, cls) {
  const right = heads.map((x) => x.endsWith(">"));
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: cls }, h("caption.unseen", null, caption),
      h("thead", null, h("tr", null, heads.map((x, i) => h("th", { scope: "col", class: right[i] && "right" }, x.replace(/>$/, ""))))),
      h("tbody", null, rows.map((row) => h("tr", { "data-key": row.key, class: row.class },
        (row.cells ?? row).map((cell, i) => h("td", { class: right[i] && "right" }, cell)))))));
}

const OUTCOMES = {
  completed: "good", success: "good", completed_with_warnings: "warn", completed_unverified: "warn", partial: "warn",
  aborted: "bad", failure: "bad", abandoned: "bad", live: "accent", active: "accent", interrupted: "warn", unreadable: "bad", archived: "",
};

/** How a session or pipeline stands, or ended. */
export const standing = (word) => badge(term("standing", word), OUTCOMES[word] ?? "");

const VERDICTS = { APPROVE: "good", PASS: "good", APPROVE_WITH_NOTES: "good", PASS_WITH_NOTES: "good", REVISE: "warn", FAIL: "bad", UNKNOWN: "warn" };

export const verdict = (word) => word && badge(word.replaceAll("_", " "), VERDICTS[word] ?? "");
