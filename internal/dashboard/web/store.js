// What the page knows, and how it asks for more.

import { language, t } from "./words.js";

/** All that the page knows. Views read it, and change only what is theirs, in ui. */
export const state = { sections: {}, key: "", boot: "", revision: 0, live: "connecting", heard: null, spoken: "", ui: {} };

/** What goes behind the address of a question: the language, and what is asked for. */
export const query = (values) => new URLSearchParams({ lang: language(), ...values });

/** Asks the server. A refusal is thrown, as the problem that it is. */
export async function ask(path, values, body) {
  let answer;
  try {
    answer = await fetch(`${path}?${query(values)}`, body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json", "X-Code-Intel-Key": state.key }, body: JSON.stringify(body),
    });
  } catch {
    throw { code: "offline", message: t("offline"), next: [] };
  }
  let said;
  try {
    said = await answer.json();
  } catch {
    throw { code: `http_${answer.status}`, message: answer.status === 401 ? t("expired") : t("offline"), next: [] };
  }
  if (said.problem) throw said.problem;
  return said.data ?? said;
}

let render = () => {};
let due = false;

/** Says what shows everything. */
export function onShow(f) {
  render = f;
}

/** Shows everything anew, as soon as the browser paints. */
export function show() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    render();
  });
}
