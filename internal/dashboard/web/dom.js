// Elements without a framework: h makes them, patch brings a tree that is shown to
// the state of a new one and leaves alone what did not change, so that focus,
// selection, what is typed and what is unfolded stay.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element. Texts are always texts: nothing is parsed as HTML. */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const el = document.createElement(name || "div");
  if (classes.length) el.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) {
      el[key] = value;
      (el.listens ??= []).push(key);
    } else if (key === "class") el.className = [el.className, value].filter(Boolean).join(" ");
    else if (key === "width") el.style.width = value;
    else el.setAttribute(key, value === true ? "" : String(value));
  }
  add(el, children);
  return el;
}

function add(el, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false || child === "") continue;
    if (Array.isArray(child)) add(el, child);
    else el.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const ICONS = {
  done: "M3.5 8.5 6.5 11.5 12.5 4.5",
  fail: "M4.5 4.5 11.5 11.5M11.5 4.5 4.5 11.5",
  warn: "M8 4v5M8 11.6v.2",
  skip: "M4 8h8",
  pending: "",
  current: "M8 5.2v5.6M5.2 8h5.6",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M12.8 9.6A5.4 5.4 0 0 1 6.4 3.2a5.4 5.4 0 1 0 6.4 6.4Z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8Z",
  person: "M8 2.6a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M2.8 13.6c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4",
};

/** Makes a picture of 16 by 16; it says nothing to those who do not see it. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" })) svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] ?? "");
  svg.append(path);
  return svg;
}

/** Brings the children of a shown element to those of a new one. */
export function patch(shown, wanted) {
  const old = [...shown.childNodes];
  const byKey = new Map(old.filter((n) => n.dataset?.key).map((n) => [n.dataset.key, n]));
  let at = shown.firstChild;
  for (const next of [...wanted.childNodes]) {
    const key = next.dataset?.key;
    const had = key ? byKey.get(key) : at;
    if (had && alike(had, next)) {
      if (had === at) at = at.nextSibling;
      else shown.insertBefore(had, at);
      bring(had, next);
    } else {
      shown.insertBefore(next, at);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function alike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key;
}

function bring(shown, wanted) {
  if (shown.nodeType === Node.TEXT_NODE) {
    if (shown.data !== wanted.data) shown.data = wanted.data;
    return;
  }
  if (shown.isEqualNode(wanted) && !wanted.querySelector?.("*")) {
    listen(shown, wanted);
    return;
  }
  for (const { name } of [...shown.attributes]) {
    if (!wanted.hasAttribute(name) && !own(shown, name)) shown.removeAttribute(name);
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (own(shown, name) || shown.getAttribute(name) === value) continue;
    if (name === "style") shown.style.cssText = wanted.style.cssText;
    else shown.setAttribute(name, value);
  }
  listen(shown, wanted);
  if (shown.nodeName !== "TEXTAREA") patch(shown, wanted);
}

// What the reader has set.
function own(el, name) {
  return (el.nodeName === "DETAILS" && name === "open") || (el.nodeName === "INPUT" && (name === "checked" || name === "value"));
}

function listen(shown, wanted) {
  for (const name of shown.listens ?? []) shown[name] = null;
  for (const name of wanted.listens ?? []) shown[name] = wanted[name];
  shown.listens = wanted.listens;
}
