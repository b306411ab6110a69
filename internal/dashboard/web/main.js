// The page: fetches what there is, listens to what changes, and shows the view that
// the address names.

import { h, icon, patch } from "./dom.js";
import { ask, onShow, query, show, state } from "./store.js";
import { ago, clock, language, speak, span, t, term } from "./words.js";
import { sessionView } from "./session.js";
import { pipelineView } from "./pipelines.js";
import { indexView } from "./forest.js";
import { learningView } from "./learning.js";
import { trouble } from "./parts.js";

const VIEWS = { session: sessionView, pipelines: pipelineView, index: indexView, learning: learningView };

let events = null;
let project = "";

async function load() {
  const news = await ask("api/state");
  state.key = news.key;
  take(news);
  listen();
}

function take(news) {
  const before = gates();
  if (news.boot !== state.boot) state.sections = {};
  state.boot = news.boot;
  state.revision = news.revision;
  state.spoken = news.lang;
  const phaseBefore = state.sections.session?.data?.current?.phase;
  Object.assign(state.sections, news.sections);
  const now = state.sections.session?.data?.current;
  if (gates() > before) say(t("said.gate"));
  else if (phaseBefore && now?.phase !== phaseBefore) say(t("said.phase", { phase: term("phase", now?.phase) }));
}

function listen() {
  events?.close();
  events = new EventSource(`api/events?${query({ since: `${state.boot}-${state.revision}` })}`);
  events.onopen = () => live("live");
  events.onerror = () => live(events.readyState === EventSource.CLOSED ? "lost" : "connecting");
  events.addEventListener("change", (e) => {
    const news = JSON.parse(e.data);
    const anew = news.boot !== state.boot;
    take(news);
    state.heard = new Date();
    live("live");
    if (anew) load().catch(lost); // another run of the program: its key is another one
    show();
  });
}

function live(how) {
  if (state.live === how) return;
  state.live = how;
  show();
}

function lost(problem) {
  state.live = "lost";
  state.problem = problem;
  show();
}

function say(text) {
  document.getElementById("said").textContent = text;
}

function openGate() {
  const gate = state.sections.session?.data?.current?.gate;
  return Boolean(gate && !gate.answered);
}

const gates = () => Number(openGate())
  + (state.sections.pipelines?.data?.pipelines ?? []).filter((p) => p.waits).length;

/** The view and what of it the address names: "#/pipelines/NAME". */
function place() {
  const [, name, ...rest] = location.hash.split("/");
  return { name: VIEWS[name] ? name : "session", id: decodeURIComponent(rest.join("/")) };
}

function nav(at) {
  const waits = { session: openGate(), pipelines: (state.sections.pipelines?.data?.pipelines ?? []).some((p) => p.waits) };
  return h("nav", { "aria-label": t("nav") }, h("ul", null, Object.keys(VIEWS).map((name) =>
    h("li", null, h("a", { href: `#/${name}`, "aria-current": name === at.name ? "page" : undefined }, t(`nav.${name}`),
      waits[name] && h("span.dot", { role: "img", "aria-label": t("waits") }))))));
}

function top(at) {
  const p = state.sections.project?.data;
  return h("div", null,
    h("div.brand", null, h("img", { src: "icon.svg", alt: "", class: "mark" }), h("span.name", null, "code-intel"),
      p && h("span.project", { title: p.root }, p.name)),
    nav(at),
    h("div.tools", null,
      h(`span.live.${state.live}`, { title: state.heard ? t("heard", { at: clock(state.heard) }) : "" }, h("i", { "aria-hidden": "true" }), t(`live.${state.live}`)),
      h("div.switch", { role: "group", "aria-label": t("language") }, ["en", "ja"].map((l) =>
        h("button", { type: "button", id: `lang-${l}`, lang: l, "aria-pressed": String(l === language()), onclick: () => choose(l) }, l === "en" ? "EN" : "日本語"))),
      h("button.round", { type: "button", id: "theme", title: t("theme"), "aria-label": t("theme"), onclick: theme }, icon(dark() ? "sun" : "moon"))));
}

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function theme() {
  const to = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = to;
  keep("theme", to);
  show();
}

async function choose(to) {
  await speak(to);
  keep("lang", to);
  state.ui.doctor = null;
  show();
  await load().catch(lost);
  show();
}

function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* then it holds for this visit */ }
}

function kept(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

/** What is said above every view: that a decision waits, or that nobody answers. */
function notice(at) {
  const out = [];
  if (state.live === "lost") out.push(h("div.notice.bad", { "data-key": "lost", role: "alert" }, h("p", null, state.problem?.message ?? t("offline"))));
  const p = state.sections.project?.problem;
  if (p) out.push(h("div.notice.bad", { "data-key": "project" }, trouble(p)));
  if (openGate() && at.name !== "session") {
    out.push(h("div.notice.gate", { "data-key": "gate" }, h("p", null, t("gate.elsewhere")), h("a.button", { href: "#/session" }, t("gate.go"))));
  }
  return out;
}

function render() {
  const at = place();
  patch(document.getElementById("top"), top(at));
  patch(document.getElementById("notice"), h("div", null, notice(at)));
  const main = document.getElementById("main");
  let view;
  try {
    view = VIEWS[at.name](state, at);
  } catch (e) {
    console.error(e);
    view = trouble({ code: "page", message: String(e), next: [] });
  }
  view.dataset.key ??= `${at.name}/${at.id}`;
  patch(main, h("div", null, view));
  main.setAttribute("aria-busy", "false");
  document.querySelector(".skip").textContent = t("skip");
  const session = state.sections.session?.data?.current;
  const doing = at.name === "session" && session && !session.outcome ? term("phase", session.phase) : t(`nav.${at.name}`);
  document.title = `${gates() ? "● " : ""}${doing} · ${state.sections.project?.data?.name ?? project} · code-intel`;
  document.documentElement.dataset.ready = `${at.name} ${state.spoken === language() ? state.spoken : "…"} ${state.revision}`;
}

// Times go on by themselves.
setInterval(() => {
  for (const el of document.querySelectorAll("[data-ago]")) el.textContent = ago(el.dataset.ago);
  for (const el of document.querySelectorAll("[data-since]")) el.textContent = span(Math.max(0, Date.now() - new Date(el.dataset.since)));
}, 1000);

addEventListener("hashchange", () => {
  state.ui.paged = null;
  state.ui.shown = null;
  show();
  document.getElementById("main").focus({ preventScroll: true });
  scrollTo(0, 0);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

onShow(render);
try {
  const wanted = kept("lang");
  await speak(wanted === "ja" || wanted === "en" ? wanted : "en");
  if (!wanted) { // the project's own language
    const news = await fetch("api/state").then((a) => a.json());
    if (news.lang !== language()) await speak(news.lang);
  }
  await load();
} catch (problem) {
  lost(problem);
}
show();
