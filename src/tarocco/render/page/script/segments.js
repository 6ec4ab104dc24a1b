// The browser of segments: sort and filter by metric, by the difference of two systems, by text, by group.

const PAGE = 20;
const browser = { metric: null, first: 0, second: -1, by: "number", descending: true, group: "", low: null, high: null, search: "", page: 0, focus: 0, open: new Set() };
let redraw = () => {};

// Everything with a number per segment and system: metrics, human scores, QUEEN.
function measures() {
  const found = new Map();
  const texts = payload.segments;
  for (const [name, columns] of Object.entries(texts.scores)) found.set(name, { columns, error: isError(name), shown: (value) => score(value, name) });
  if (texts.queen) found.set("QUEEN", { columns: texts.queen, error: false, shown: (value) => fixed(value, 3) });
  for (const [name, columns] of Object.entries(texts.human || {})) found.set(`people: ${name}`, { columns, error: false, shown: (value) => fixed(value, 2).replace(/\.?0+$/, "") });
  return found;
}

function segmentsSection() {
  const texts = payload.segments;
  if (!texts) return null;
  const measured = measures();
  const names = [...measured.keys()];
  const n = texts.references[0].length;
  const systems = payload.systems;
  const trusted = payload.verdict?.metrics[0]?.metric;
  browser.metric = measured.has(trusted) ? trusted : names[0] ?? null;
  if (systems.length > 1 && names.length) Object.assign(browser, { second: 1, by: "spread" });
  const haystacks = new Array(n);

  const haystack = (row) => (haystacks[row] ??= [texts.source?.[row] ?? "", ...texts.references.map((one) => one[row]), ...texts.systems.map((one) => one[row])].join("\n").toLowerCase());
  const at = (place, row) => (browser.metric === null || place < 0 ? null : measured.get(browser.metric).columns[place][row]);

  const values = {
    number: (row) => -row, // the first ones first
    score: (row) => at(browser.first, row),
    difference: (row) => { const [a, b] = [at(browser.first, row), at(browser.second, row)]; return a === null || b === null ? null : a - b; },
    spread: (row) => { const known = systems.map((_, place) => at(place, row)).filter((value) => value !== null); return known.length ? Math.max(...known) - Math.min(...known) : null; },
    length: (row) => texts.references[0][row].length,
  };

  function chosenRows() {
    const value = values[browser.by];
    const number = /^#\s*(\d+)$/.exec(browser.search);
    const wanted = browser.search.toLowerCase();
    const scale = metrics.get(browser.metric)?.scale ?? 1;
    const rows = [];
    for (let row = 0; row < n; row++) {
      if (browser.group !== "" && texts.groups.of[row] !== Number(browser.group)) continue;
      if (number ? row !== Number(number[1]) - 1 : wanted && !haystack(row).includes(wanted)) continue;
      const key = value(row);
      if (browser.low !== null || browser.high !== null) {
        const filtered = browser.by === "number" || browser.by === "length" ? at(browser.first, row) : key;
        if (filtered === null || (browser.low !== null && filtered * scale < browser.low) || (browser.high !== null && filtered * scale > browser.high)) continue;
      }
      rows.push([key, row]);
    }
    rows.sort(([a, i], [b, j]) => compared(a, b, browser.descending) || i - j);
    return rows.map(([, row]) => row);
  }

  const status = el("p", { class: "status", role: "status" });
  const results = el("div", { class: "segments" });
  const legends = el("div");
  const pages = [pager("above"), pager("below")];

  function pager(where) {
    const step = (by) => el("button", { type: "button", class: by < 0 ? "previous" : "next", click: () => { browser.page += by; redraw(); if (where === "below") document.getElementById("segments").scrollIntoView(); } }, by < 0 ? "‹ previous" : "next ›");
    const made = { previous: step(-1), next: step(1), text: el("span") };
    made.box = el("div", { class: "pager" }, made.previous, made.text, made.next);
    return made;
  }

  redraw = (keep) => {
    const rows = chosenRows();
    const count = Math.max(1, Math.ceil(rows.length / PAGE));
    if (!keep) browser.page = Math.min(Math.max(0, browser.page), count - 1);
    const shown = rows.slice(browser.page * PAGE, (browser.page + 1) * PAGE);
    status.textContent = rows.length === n ? `${n.toLocaleString("en")} segments` : `${rows.length.toLocaleString("en")} of ${n.toLocaleString("en")} segments`;
    for (const one of pages) {
      one.previous.disabled = browser.page === 0;
      one.next.disabled = browser.page >= count - 1;
      one.text.textContent = `page ${browser.page + 1} of ${count}`;
      one.box.hidden = count === 1;
    }
    legends.replaceChildren(aboutMarks());
    results.replaceChildren(...(shown.length ? shown.map(line) : [el("p", {}, "No segment matches: clear the search or the limits.")]));
  };

  function aboutMarks() {
    const own_marks = texts.marks && texts.marks[browser.metric];
    const exact = own_marks && Object.keys(own_marks).some((key) => key !== "why");
    const why = own_marks && own_marks.why ? `${own_marks.why}: words are matched by this page.` : exact && texts.marked_why ? `Exact marks are available for ${texts.marked_why}; in other segments, words are matched by this page.` : null;
    return el("div", {}, legend(exact), why && el("p", { class: "small" }, visible(why)));
  }

  function line(row) {
    const place = browser.first;
    const chips = [];
    if (browser.metric !== null) {
      const { shown } = measured.get(browser.metric);
      chips.push(el("span", { class: "score" }, own(systems[place]), " ", el("b", {}, shown(at(place, row)))));
      if (browser.second >= 0) {
        const difference = values.difference(row);
        chips.push(el("span", { class: "score" }, own(systems[browser.second]), " ", el("b", {}, shown(at(browser.second, row)))),
          el("span", { class: "score difference" }, "difference ", el("b", {}, difference === null ? NOTHING : (difference > 0 ? "+" : "") + shown(difference))));
      }
      if (browser.by === "spread" && systems.length > 2) chips.push(el("span", { class: "score" }, "spread ", el("b", {}, shown(values.spread(row)))));
    }
    const body = el("div", { class: "segment-body" });
    const made = el("details", { class: "segment", "data-segment": row + 1, toggle: () => {
      // The browser sends "toggle" later than the click. A segment that the script opened is filled already.
      if (!made.open) browser.open.delete(row);
      else if (!browser.open.has(row)) { browser.open.add(row); fill(body, row); }
    } }, el("summary", { keydown: arrows },
      el("span", { class: "head" }, el("span", { class: "id" }, `#${row + 1}`), texts.groups ? el("span", { class: "group" }, own(texts.groups.names[texts.groups.of[row]])) : null),
      el("span", { class: "excerpt" }, own(excerpt(texts.source ? texts.source[row] : texts.references[0][row], 160))), el("span", { class: "scores" }, chips)), body);
    if (browser.open.has(row)) { fill(body, row); made.open = true; }
    return made;
  }

  function arrows(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...results.querySelectorAll("summary")].filter((one) => one.parentElement.classList.contains("segment"));
    const next = all[all.indexOf(event.currentTarget) + step];
    if (next) { event.preventDefault(); next.focus(); }
  }

  function fill(body, row) {
    const of_metric = texts.marks && texts.marks[browser.metric] && texts.marks[browser.metric][row];
    const references = texts.references.map((one) => one[row]);
    const focus = browser.focus;
    const exact = of_metric && of_metric[focus];
    const present = references.filter((text) => text.trim() !== "");
    const box = (head, text, kind) => el("div", { class: `text ${kind}` }, head, el("p", {}, text));
    const left = el("div", { class: "side" });
    if (texts.source) left.append(box(el("h3", {}, "Source"), own(texts.source[row]), "source"));
    references.forEach((text, place) => {
      if (text.trim() === "" && present.length) return;
      const record = exact ? exact.r[place + 1] : plainMarks(text, [texts.systems[focus][row]]);
      const unused = exact && !record;
      left.append(box(el("h3", {}, "Reference ", own(payload.references[place] ?? String(place + 1)), unused ? el("span", { class: "remark" }, "not the chosen one") : null), record ? marked(text, record) : own(text), "reference"));
    });
    const right = el("div", { class: "side" });
    const order = [...new Set([browser.first, browser.second, ...systems.keys()])].filter((place) => place >= 0);
    for (const place of order) {
      const own_marks = of_metric && of_metric[place];
      const text = texts.systems[place][row];
      const choose = el("button", { type: "button", class: "focus", "aria-pressed": String(place === focus), click: () => {
        browser.focus = place;
        fill(body, row);
        body.querySelector('.focus[aria-pressed="true"]').focus();
      } }, "match with references");
      const shown = browser.metric === null ? null : measured.get(browser.metric).shown(at(place, row));
      right.append(el("div", { class: `text system${place === focus ? " focused" : ""}`, "data-system": systems[place] },
        el("h3", {}, own(systems[place]), shown && el("span", { class: "score" }, el("b", {}, shown)), choose),
        el("p", {}, text === "" ? el("i", {}, "nothing") : marked(text, own_marks ? own_marks.c : plainMarks(text, references))),
        own_marks && own_marks.n.length ? el("p", { class: "small tallies" }, own_marks.n.slice(0, 12).map(([type, same, all]) => el("span", {}, visible(type), ` ${same}/${all}`))) : null));
    }
    const all = measured.size > 1 ? el("details", {}, el("summary", {}, "All metrics"), scores(row)) : null;
    body.replaceChildren(el("div", { class: "sides" }, left, right),
      el("p", { class: "small how" }, exact ? ["Marks are what ", own(browser.metric), " counted for ", own(systems[focus]), "."] : ["Marks here are plain word matching, not what a metric counted; the references show the words of ", own(systems[focus]), "."]), ...(all ? [all] : []));
  }

  function scores(row) {
    return scrolling(`All scores of segment ${row + 1}`, el("table", {}, el("caption", { class: "hidden" }, `All scores of segment ${row + 1}`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "label" }, "system"), names.map((name) => el("th", { scope: "col", class: "number" }, own(name))))),
      el("tbody", {}, systems.map((system, place) => el("tr", {}, el("th", { scope: "row", class: "label" }, own(system)),
        names.map((name) => el("td", { class: "number" }, measured.get(name).shown(measured.get(name).columns[place][row]))))))));
  }

  const change = (key, read) => (value) => { browser[key] = read(value); browser.page = 0; if (key === "first") browser.focus = browser.first; redraw(); };
  const text = (value) => value;
  const limit = (value) => (value.trim() === "" || Number.isNaN(Number(value)) ? null : Number(value));
  const named = systems.map((name, place) => [String(place), name]);
  const orders = [["number", "segment number"], ...(names.length ? [["score", "score of the system"]] : []),
    ...(names.length && systems.length > 1 ? [["difference", "difference of the two"], ["spread", "spread over all systems"]] : []), ["length", "length"]];
  const field = (label, id, key, read, type) => {
    const input = el("input", { id, type, inputmode: type === "text" ? "decimal" : null, autocomplete: "off", placeholder: type === "search" ? "words, or #12" : null, input: () => change(key, read)(input.value) });
    return el("div", { class: type === "search" ? "control search" : "control limit" }, el("label", { for: id }, label), input);
  };
  const controls = el("form", { class: "controls", "aria-label": "Which segments", submit: (event) => event.preventDefault() },
    names.length ? select("Metric", "by-metric", names.map((name) => [name, name]), browser.metric, change("metric", text)) : null,
    select("System", "first-system", named, String(browser.first), change("first", Number)),
    systems.length > 1 ? select("Compared with", "second-system", [["-1", "no other"], ...named], String(browser.second), change("second", Number)) : null,
    select("Sort by", "sort-by", orders, browser.by, change("by", text)),
    select("Order", "sort-order", [["down", "highest first"], ["up", "lowest first"]], "down", change("descending", (value) => value === "down")),
    texts.groups && texts.groups.names.length > 1 ? select("Group", "in-group", [["", "all"], ...texts.groups.names.map((name, place) => [String(place), name])], "", change("group", text)) : null,
    names.length ? [field("At least", "at-least", "low", limit, "text"), field("At most", "at-most", "high", limit, "text")] : null,
    field("Search", "search", "search", (value) => value.trim(), "search"));

  const made = section("segments", "Segment by segment", "Segments", "Source, references and systems side by side, with the words that the metric matched.",
    controls, el("div", { class: "above" }, status, pages[0].box), legends, results, pages[1].box);
  const [first] = chosenRows();
  if (first !== undefined) browser.open.add(first); // so that readers see what a segment shows
  redraw();
  return made;
}

// Show one segment, from another section of the page.
function showSegment(number) {
  Object.assign(browser, { search: `#${number}`, group: "", low: null, high: null, page: 0 });
  browser.open.add(number - 1);
  for (const [id, value] of [["search", `#${number}`], ["at-least", ""], ["at-most", ""], ["in-group", ""]]) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  redraw();
  document.getElementById("segments").scrollIntoView();
  document.querySelector(".segment summary")?.focus();
}
