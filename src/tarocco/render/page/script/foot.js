// Settings and signatures, the command that repeats the run, terms, how to cite.

function settingsSection() {
  const reading = payload.reading;
  const rows = [["Experiment", payload.name], ["Written by", `tarocco ${payload.tarocco}`]];
  if (reading) {
    rows.push(["Words", `tokenizer ${reading.tokenize}, ${reading.lowercase ? "lower case" : "original case"}`]);
    if (reading.analyzer) rows.push(["Sentences analyzed by", reading.analyzer]);
  }
  if (payload.seed !== undefined && payload.seed !== null) rows.push(["Seed", String(payload.seed)]);
  const command = el("code", { id: "command" }, visible(payload.command || ""));
  const copy = el("button", { type: "button", click: async () => {
    const range = document.createRange();
    range.selectNodeContents(command);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try { await navigator.clipboard.writeText(payload.command); copy.textContent = "copied"; } catch { copy.textContent = "selected: copy it"; }
  } }, "copy");
  const named = [...metrics.values()].filter((one) => one.signature);
  return section("settings", "How to get these numbers again", "Settings", "A signature contains everything that a score depends on.",
    payload.command ? el("div", { class: "command" }, el("p", {}, "This command repeats the run:"), el("pre", { tabindex: "0" }, command), copy) : null,
    el("dl", { class: "settings" }, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, own(value))])),
    named.length ? part("Metrics", null, el("dl", { class: "signatures" }, named.flatMap((one) => [el("dt", {}, own(one.name)), el("dd", {}, one.summary ? el("p", {}, visible(one.summary)) : null, el("code", {}, visible(one.signature)), one.paper ? el("p", { class: "small" }, visible(one.paper)) : null)]))) : null,
    notes(payload.notes),
    terms.length ? part("Terms", null, el("dl", { class: "glossary" }, terms.flatMap((one) => [el("dt", {}, one.term), el("dd", {}, one.sentence)]))) : null,
    part("How to cite", null, el("p", {}, `Name the tool with its version (tarocco ${payload.tarocco}), give the signatures above, and cite the paper of each metric that you report. Numbers without signatures cannot be compared.`)));
}
