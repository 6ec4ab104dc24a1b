// Terms are explained in place: a click shows the sentence after the word, another hides it.

const terms = payload.terms || [];
const sentenceOf = new Map(terms.flatMap((one) => one.forms.map((form) => [form, one])));
const termPattern = terms.length
  ? new RegExp(`(?<![\\w-])(${[...sentenceOf.keys()].sort((a, b) => b.length - a.length)
      .map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\w-])`, "g")
  : null;
let explanations = 0;

function term(word, one) {
  const id = `term-${++explanations}`;
  const note = el("span", { id, class: "meaning", role: "note", hidden: true }, one.sentence);
  const button = el("button", { type: "button", class: "term", "aria-expanded": "false", "aria-controls": id, title: one.sentence,
    click: () => {
      note.hidden = !note.hidden;
      button.setAttribute("aria-expanded", String(!note.hidden));
    } }, word);
  return [button, note];
}

// A sentence with its terms, each explained once; `seen` are those that were explained before.
function explained(text, seen = new Set()) {
  if (!termPattern) return [visible(text)];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(termPattern)) {
    const one = sentenceOf.get(found[1]);
    if (seen.has(one.term)) continue;
    seen.add(one.term);
    nodes.push(visible(text.slice(at, found.index)));
    at = found.index + found[1].length;
    const [button, note] = term(found[1], one);
    const stop = /^[.,;:!?)]+/.exec(text.slice(at))?.[0] ?? ""; // stays on the line of its word
    nodes.push(el("span", { class: "unbroken" }, button, stop), note);
    at += stop.length;
  }
  nodes.push(visible(text.slice(at)));
  return nodes;
}
