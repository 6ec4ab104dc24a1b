// Marked words: those that a metric matched or, without an explanation, those that occur on the other side.

const KINDS = { 1: ["mark", "matched"], 2: ["span", "skipped"], 3: ["mark", "gained"], 4: ["span", "apart"] };

function marked(text, record) {
  if (!record) return own(text);
  const shown = record.t === undefined ? text : record.t;
  const nodes = [];
  let at = 0;
  for (let i = 0; i < record.m.length; i += 3) {
    const begin = at + record.m[i];
    const end = begin + record.m[i + 1];
    const [tag, kind] = KINDS[record.m[i + 2]];
    const label = record.l && record.l[i / 3];
    if (begin > at) nodes.push(visible(shown.slice(at, begin)));
    nodes.push(el(tag, { class: kind }, visible(shown.slice(begin, end)), label ? el("sub", {}, visible(label)) : null));
    at = end;
  }
  nodes.push(visible(shown.slice(at)));
  return el("bdi", { dir: "auto" }, nodes);
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*/gu;

function wordsOf(text) {
  return [...text.matchAll(WORD)].map((found) => [found.index, found[0].length, found[0].toLowerCase()]);
}

// Marks for words that occur in other texts, clipped at the highest count in one of them.
function plainMarks(text, others) {
  const highest = new Map();
  for (const other of others) {
    const counts = new Map();
    for (const [, , word] of wordsOf(other)) counts.set(word, (counts.get(word) || 0) + 1);
    for (const [word, count] of counts) highest.set(word, Math.max(count, highest.get(word) || 0));
  }
  const numbers = [];
  let at = 0;
  let joined = false;
  for (const [begin, length, word] of wordsOf(text)) {
    const left = highest.get(word) || 0;
    if (!left) { joined = false; continue; }
    highest.set(word, left - 1);
    if (joined && /^\s*$/.test(text.slice(at, begin))) numbers[numbers.length - 2] += begin + length - at;
    else numbers.push(begin - at, length, 1);
    at = begin + length;
    joined = true;
  }
  return { m: numbers };
}

function legend(exact) {
  const sample = (tag, kind, text) => el(tag, { class: kind }, text);
  return el("p", { class: "small legend" }, exact
    ? [sample("mark", "matched", "matched words"), " that the metric counts as shared; ", sample("span", "skipped", "skipped words"), " between them; ",
      sample("span", "apart", ["no match", el("sub", {}, "NP")]), " a chunk, entity or role without a match. Small letters give the type, or how a word matches (stem, synonym, shifted)."]
    : [sample("mark", "matched", "marked words"), " are matched by this page, not by the metric: words of a system that a reference has."]);
}
