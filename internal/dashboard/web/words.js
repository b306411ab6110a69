// The words of the page, in the language that was chosen, and how it writes times
// and figures.

let words = {};
let lang = "en";

export const language = () => lang;

export async function speak(to) {
  const answer = await fetch(`words-${to === "ja" ? "ja" : "en"}.json`);
  words = await answer.json();
  lang = to;
  document.documentElement.lang = to;
}

/** Says a phrase; {name} stands for a value. */
export function t(key, values) {
  const phrase = words[key] ?? key;
  return values ? phrase.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "") : phrase;
}

/** Says a word of the server's own vocabulary; as it is if there is no other. */
export const term = (kind, word) => words[`${kind}.${word}`] ?? word ?? "";

export const number = (n) => new Intl.NumberFormat(lang).format(n ?? 0);

export const percent = (share) => new Intl.NumberFormat(lang, { style: "percent", maximumFractionDigits: 0 }).format(share);

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let i = -1;
  do { n /= 1000; i++; } while (n >= 999.5 && i < units.length - 1);
  return `${new Intl.NumberFormat(lang, { maximumFractionDigits: n < 10 ? 1 : 0 }).format(n)} ${units[i]}`;
}

/** Writes a large figure short: 12.4k. */
export const short = (n) => (n < 10000 ? number(n) : new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 }).format(n));

export function span(ms) {
  if (!(ms > 0)) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 1000);
  if (s < 60) return t("span.s", { s });
  const m = Math.floor(s / 60);
  if (m < 60) return t("span.m", { m, s: String(s % 60).padStart(2, "0") });
  const hours = Math.floor(m / 60);
  if (hours < 48) return t("span.h", { h: hours, m: String(m % 60).padStart(2, "0") });
  return t("span.d", { d: Math.floor(hours / 24), h: hours % 24 });
}

export const known = (at) => Boolean(at) && !String(at).startsWith("0001-");

export function ago(at) {
  const s = Math.round((Date.now() - new Date(at)) / 1000);
  const rtf = new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "short" });
  if (s < 5) return t("now");
  if (s < 60) return rtf.format(-s, "second");
  if (s < 3600) return rtf.format(-Math.round(s / 60), "minute");
  if (s < 86400) return rtf.format(-Math.round(s / 3600), "hour");
  return rtf.format(-Math.round(s / 86400), "day");
}

const two = (n) => String(n).padStart(2, "0");

export function clock(at) {
  const d = new Date(at);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

export function date(at) {
  const d = new Date(at);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`;
}
