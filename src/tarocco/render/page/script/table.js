// A table that can be sorted by mouse and keyboard: every header is a button.

function sortable(caption, columns, rows, start) {
  let chosen = start ?? null;
  let descending = chosen !== null && !columns[chosen].ascending;
  const body = el("tbody");
  const heads = columns.map((column, place) => {
    const button = el("button", { type: "button", click: () => {
      descending = chosen === place ? !descending : !column.ascending;
      chosen = place;
      draw();
    } }, column.title, el("span", { class: "arrow", "aria-hidden": "true" }));
    return el("th", { scope: "col", class: column.label ? "label" : "number" }, button, column.remark && el("span", { class: "remark" }, column.remark));
  });

  function draw() {
    const order = rows.map((row, place) => [row, place]);
    if (chosen !== null) {
      const value = columns[chosen].value;
      order.sort(([a, i], [b, j]) => compared(value(a), value(b), descending) || i - j);
    }
    heads.forEach((head, place) => {
      if (place === chosen) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...order.map(([row]) => el("tr", {}, columns.map((column) =>
      el(column.head ? "th" : "td", { scope: column.head ? "row" : null, class: `${column.label ? "label" : "number"} ${column.mark ? column.mark(row) : ""}`.trim() },
        column.cell(row))))));
  }

  draw();
  return scrolling(caption, el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body));
}

// Rows without a value come last in both directions.
function compared(a, b, descending) {
  const none = (one) => one === null || one === undefined;
  if (none(a) || none(b)) return none(a) - none(b);
  const order = typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  return descending ? -order : order;
}
