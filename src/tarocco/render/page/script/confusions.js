// Machine translations that a metric ranks above human ones.

const FEW = 10;

function confusionsSection() {
  const found = payload.orange?.confusions;
  if (!found || !found.length) return null;
  const place = el("div", { class: "confusions" });
  const draw = (name) => {
    const own_lists = found.find((one) => one.metric === name);
    place.replaceChildren(
      el("p", {}, own(name), ` ranks some candidate above the references in ${own_lists.confused} list${own_lists.confused === 1 ? "" : "s"}`,
        own_lists.confused > own_lists.lists.length ? `; these are the ${own_lists.lists.length} with the most.` : "."),
      ...own_lists.lists.slice(0, FEW).map(confusion));
    if (own_lists.lists.length > FEW) {
      const more = el("button", { type: "button", class: "more", click: () => {
        const rest = own_lists.lists.slice(FEW).map(confusion);
        more.replaceWith(...rest);
        rest[0].querySelector("summary").focus();
      } }, `${own_lists.lists.length - FEW} more`);
      place.append(more);
    }
  };
  draw(found[0].metric);
  return section("confusions", "What confuses a metric?", "Confusions", "A confusion set is the machine translations that a metric ranks above the human ones. Read a few: is the metric wrong, or the references?",
    found.length > 1 ? select("Metric", "confused-metric", found.map((one) => [one.metric, one.metric]), found[0].metric, draw) : null,
    el("p", { class: "small legend" }, el("mark", { class: "matched" }, "marked words"), " are in the references that a text is compared with, ",
      el("mark", { class: "gained" }, "strongly marked ones"), " raised the candidate above the next reference."), place);
}

function confusion(one) {
  const body = el("div", { class: "segment-body" });
  const line = (kind, item) => el("div", { class: `text ${kind}` },
    el("h3", {}, kind === "reference" ? `Reference ${item.place}` : `Candidate ${item.place}`, el("span", { class: "remark" }, `rank ${fixed(item.rank, 1).replace(".0", "")}`), item.copy ? el("span", { class: "remark" }, "a copy of a reference") : null),
    el("p", {}, marked(item.text, item)));
  const made = el("details", { class: "segment", toggle: () => {
    if (!made.open || body.firstChild) return;
    body.append(...[one.source !== undefined ? el("div", { class: "text source" }, el("h3", {}, "Source"), el("p", {}, own(one.source))) : null,
      ...one.above.map((item) => line("candidate", item)), one.count > one.above.length ? el("p", { class: "small" }, `and ${one.count - one.above.length} more`) : null,
      ...one.references.map((item) => line("reference", item)),
      payload.segments ? el("button", { type: "button", click: () => showSegment(one.segment) }, `see segment ${one.segment}`) : null].filter(Boolean));
  } }, el("summary", {}, el("span", { class: "head" }, el("span", { class: "id" }, `#${one.segment}`)),
    el("span", { class: "excerpt" }, own(excerpt(one.references[0].text, 160))),
    el("span", { class: "scores" }, el("span", { class: "score" }, "above the references ", el("b", {}, `${one.count} of ${one.size}`)))), body);
  return made;
}
