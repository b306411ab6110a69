// What a person has to decide, and how they decide.

import { h, icon } from "./dom.js";
import { sign, trouble, when, withCommand } from "./parts.js";
import { ask, show, state } from "./store.js";
import { t, term } from "./words.js";

/** A question with its options, and words for the agent. It is asked once more before
 * anything is sent; send says what that is. */
export function question(q) {
  const drafts = (state.ui.drafts ??= {});
  const draft = (drafts[q.key] ??= { choice: "", guidance: "" });
  const body = [q.text];
  if (q.answered) {
    body.push(h("div.decided", { role: "status" }, sign("done", "good", t("decided")),
      h("p", null, h("strong", null, t("gate.decided", { choice: q.answered.choice })), " ", q.note, h("span.muted", null, " ", term("channel", q.answered.channel), " · ", when(q.answered.at)))));
  }
  if (!q.open) {
    body.push(q.why && h("div.closed", null, h("p", null, q.why.message), (q.why.next ?? []).map((n) => h("p.next", null, withCommand(n)))));
  } else if (!q.answered || draft.again) {
    body.push(form(q, draft));
  } else {
    body.push(h("p", null, h("button.quiet", { type: "button", onclick: () => { draft.again = true; show(); } }, t("gate.again"))));
  }
  if (draft.problem) body.push(trouble(draft.problem));
  return h("section.panel.gate", { class: q.answered && "settled", "data-key": `gate-${q.key}`, "aria-labelledby": "h-gate" },
    h("div.panel-head", null, h("h2", { id: "h-gate" }, icon("person"), q.answered ? t("gate.settled") : q.title), h("div.panel-aside", null, q.aside)), body);
}

function form(q, draft) {
  const pick = (o) => { Object.assign(draft, { choice: o, sure: false }); show(); };
  return h("form.decide", { "data-key": "decide", onsubmit: (e) => { e.preventDefault(); if (draft.choice) { draft.sure = true; show(); focusSoon("confirm"); } } },
    h("fieldset", null, h("legend.unseen", null, t("gate.choose")), q.options.map((o) =>
      h("label.option", { "data-key": o, class: draft.choice === o && "chosen" }, h("input", { type: "radio", name: "choice", id: `choice-${o}`, value: o, onchange: () => pick(o) }),
        h("span", null, h("strong", null, o), h("span.muted", null, term("option", o) === o ? "" : term("option", o)))))),
    h("label.field", { for: "guidance" }, t("gate.guidance")),
    h("textarea", { id: "guidance", rows: 2, maxlength: 4000, oninput: (e) => { draft.guidance = e.target.value; } }),
    draft.sure && draft.choice
      ? h("div.sure", { "data-key": "sure", role: "group", "aria-label": t("gate.sure", { choice: draft.choice }) }, h("p", null, t("gate.sure", { choice: draft.choice })),
        h("button.button", { type: "button", id: "confirm", disabled: draft.sending, onclick: () => send(q, draft) }, t("gate.confirm")),
        h("button.quiet", { type: "button", onclick: () => { draft.sure = false; show(); } }, t("gate.cancel")))
      : h("div.sure", { "data-key": "go" }, h("button.button", { type: "submit", disabled: !draft.choice }, t("gate.submit")), h("p.muted", null, t("gate.note"))));
}

const focusSoon = (id) => requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));

async function send(q, draft) {
  draft.sending = true;
  show();
  try {
    await ask("api/gate", {}, q.send({ choice: draft.choice, guidance: draft.guidance }));
    Object.assign(draft, { sure: false, again: false, problem: null });
  } catch (problem) {
    draft.problem = problem;
  }
  draft.sending = false;
  show();
}
