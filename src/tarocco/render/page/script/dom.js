// Elements from data. Text goes into text nodes only, so that it cannot become markup or code.

const payload = JSON.parse(document.getElementById("payload").textContent);
const charts = JSON.parse(document.getElementById("charts").textContent);
const metrics = new Map((payload.metrics || []).map((one) => [one.name, one]));
const NOTHING = "–";

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Control characters are shown as the pictures that Unicode has for them.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (one) =>
    one === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + one.charCodeAt(0)));
}

// A name or a text from the data, isolated so that its direction does not affect the text around it.
function own(text) {
  return el("bdi", { dir: "auto" }, visible(String(text)));
}

function excerpt(text, most) {
  if (text.length <= most) return text;
  const cut = /[\ud800-\udbff]$/.test(text.slice(0, most)) ? most - 1 : most;
  return `${text.slice(0, cut)}…`;
}

function fixed(value, digits) {
  if (value === null || value === undefined) return NOTHING;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// A score on the metric's printed scale.
function score(value, name) {
  const metric = metrics.get(name) || { scale: 1, digits: 4 };
  return value === null || value === undefined ? NOTHING : fixed(value * metric.scale, metric.digits);
}

function percent(value, digits = 1) {
  return value === null || value === undefined ? NOTHING : `${fixed(100 * value, digits)}%`;
}

function between(interval, shown) {
  return interval && interval[0] !== null ? el("span", { class: "between" }, `${shown(interval[0])} to ${shown(interval[1])}`) : null;
}

function isError(name) {
  return (metrics.get(name) || {}).kind === "error";
}

function select(label, id, options, chosen, changed) {
  const made = el("select", { id, change: () => changed(made.value) },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, visible(text))));
  return el("div", { class: "control" }, el("label", { for: id }, label), made);
}

// A region that scrolls, also by keyboard, if its content is too wide.
function scrolling(label, ...children) {
  return el("div", { class: "scrolling", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}

function list(items, kind = "ul") {
  return el(kind, {}, items.map((item) => el("li", {}, item)));
}

const sections = [];

function section(id, title, short, lede, ...children) {
  const made = el("section", { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title), lede && el("p", { class: "lede" }, explained(lede)), ...children);
  sections.push({ id, short });
  return made;
}

// A table and its charts, side by side if there is room.
function beside(...children) {
  return el("div", { class: "beside" }, ...children);
}

function part(title, lede, ...children) {
  return el("div", { class: "part" }, el("h3", {}, title), lede && el("p", { class: "lede" }, explained(lede)), ...children);
}

function notes(sentences) {
  return sentences && sentences.length ? el("div", { class: "notes" }, sentences.map((note) => el("p", {}, visible(note)))) : null;
}
