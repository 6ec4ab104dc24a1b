// The page, from top to bottom.

const root = document.documentElement;

function remembered(value) {
  try {
    if (value === undefined) return localStorage.getItem("tarocco-theme");
    localStorage.setItem("tarocco-theme", value);
  } catch { /* storage is disabled: the choice is not remembered */ }
  return null;
}

function themeSwitch() {
  const apply = (theme) => { if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme; };
  const first = ["light", "dark"].includes(remembered()) ? remembered() : "auto";
  apply(first);
  return select("Theme", "theme", [["auto", "system"], ["light", "light"], ["dark", "dark"]], first, (theme) => { apply(theme); remembered(theme); });
}

function slice() {
  const svg = (tag, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const petals = Array.from({ length: 8 }, (_, i) => svg("path", { d: "M0-2.2 L3.4-10.6 A11.4 11.4 0 0 0 -3.4-10.6Z", transform: `rotate(${45 * i})`, class: "petal" }));
  return svg("svg", { viewBox: "-16 -16 32 32", class: "logo", "aria-hidden": "true" }, svg("circle", { r: "15", class: "peel" }), svg("circle", { r: "13", class: "pith" }), ...petals);
}

document.getElementById("head").append(
  el("div", { class: "bar-top" }, el("p", { class: "brand" }, slice(), "tarocco"), themeSwitch()),
  el("h1", {}, own(payload.name)),
  el("p", { class: "counts" }, counted().join(" · ")));

document.getElementById("main").append(...[verdictSection(), boardSection(), trialSection(), agreementSection(), referencesSection(), breakdownSection(), segmentsSection(), confusionsSection(), settingsSection()].filter(Boolean));

document.getElementById("nav").append(el("ul", {}, sections
  .map((one) => el("li", {}, el("a", { href: `#${one.id}` }, one.short)))));

document.getElementById("foot").append(el("p", {}, `tarocco ${payload.tarocco}: which metric should I trust, and what does it say? This page contains all its data and makes no requests.`));

// Charts are drawn one at a time while the page is idle, and all at once before printing.
const OPTIONS = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, tooltip: { theme: "custom" } };
const waiting = charts.map((chart) => [document.getElementById(`chart-${chart.name}`), chart]).filter(([place]) => place);
const idle = window.requestIdleCallback || ((work) => setTimeout(work, 0));

function drawn([place, chart]) {
  return window.vegaEmbed(place, chart.spec, OPTIONS)
    .catch((problem) => place.replaceChildren(el("p", {}, `This chart could not be drawn: ${problem.message}`)));
}

function drawNext() {
  const next = waiting.shift();
  if (next) drawn(next).then(() => idle(drawNext));
  else root.dataset.drawn = "all";
}

document.addEventListener("DOMContentLoaded", () => idle(drawNext));

const opened = [];
window.addEventListener("beforeprint", () => {
  while (waiting.length) drawn(waiting.shift());
  for (const one of document.querySelectorAll("details:not([open]):not(.segment)")) { one.open = true; opened.push(one); }
});
window.addEventListener("afterprint", () => { while (opened.length) opened.pop().open = false; });
root.dataset.ready = "yes";
