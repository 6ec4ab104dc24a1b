// The verdict, in plain words.

const TRUST = {
  trusted: ["✓", "trusted", "Shown to be better than chance and not much worse than the best metric, for such systems."],
  "trusted among these systems": ["✓", "trusted among these systems", "Shown for these systems only, not for others like them."],
  open: ["?", "open", "Neither support nor the opposite is shown."],
  doubted: ["✗", "doubted", "Shown to be worse than another metric, or below the floor."],
};

const STATUS = { supported: " ✓", refuted: " ✗" };

const CARDS = 12;

// Reasons begin in lower case; the first letter becomes a capital.
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function chip(trust) {
  const [sign, word, meaning] = TRUST[trust] || ["?", trust, ""];
  return el("span", { class: `chip ${trust.split(" ")[0]}`, title: meaning }, el("span", { "aria-hidden": "true" }, `${sign} `), word);
}

function counted() {
  const counts = payload.counts || {};
  const counts_in_words = [["systems", "system"], ["segments", "segment"], ["references", "reference"], ["lists", "n-best list"]]
    .filter(([key]) => counts[key])
    .map(([key, word]) => `${counts[key].toLocaleString("en")} ${word}${counts[key] === 1 ? "" : "s"}`);
  if (metrics.size) counts_in_words.push(`${metrics.size} metric${metrics.size === 1 ? "" : "s"}`);
  return counts_in_words;
}

function verdictSection() {
  const verdict = payload.verdict;
  if (!verdict) return leaders();
  const seen = new Set();
  const headline = el("p", { class: "headline" }, explained(verdict.headline, seen)); // made first, so that terms are explained here
  const first = verdict.interesting.slice(0, 3).map((one) => explained(one, seen));
  const cards = verdict.metrics.map((one) => el("li", { class: `card ${one.trust.split(" ")[0]}` },
    el("div", { class: "card-head" }, el("h4", {}, own(one.metric)), chip(one.trust)),
    el("p", {}, explained(sentence(one.reason), seen)),
    one.judgments.length ? el("details", {}, el("summary", {}, "What each judge says"),
      el("dl", {}, one.judgments.flatMap((judgment) => [
        el("dt", {}, explained(judgment.judge, new Set()), STATUS[judgment.status] || ""),
        el("dd", {}, visible(judgment.sentence))]))) : null));
  // The first sentences are shown, and the others on request.
  const listed = (title, sentences, most = 5) => {
    const items = sentences.map((one) => explained(one, seen));
    if (!items.length) return null;
    return part(title, null, list(items.slice(0, most)), items.length > most
      ? el("details", {}, el("summary", {}, `${items.length - most} more`), list(items.slice(most))) : null);
  };
  return section("verdict", "The verdict", "Verdict", null,
    headline,
    first.length ? list(first, "ol") : null,
    part("Which metric deserves trust here?", judgesInWords(verdict), el("ul", { class: "cards" }, cards.slice(0, CARDS)), cards.length > CARDS
      ? el("details", {}, el("summary", {}, `${cards.length - CARDS} more metrics`), el("ul", { class: "cards" }, cards.slice(CARDS))) : null),
    dataPart(),
    listed("Which systems differ significantly?", verdict.systems),
    listed("What does each judge say?", verdict.judges || []),
    listed("Where do the judges disagree?", verdict.disagreements),
    listed("Why are metrics open?", verdict.open_questions || []),
    listed("More findings", verdict.interesting.slice(3), 3),
    listed("Caveats", verdict.caveats),
    plan());
}

// The findings of the data audit; severe ones hold the verdict back.
function dataPart() {
  const data = payload.data;
  if (!data) return null;
  const findings = data.findings.map((one) => [el("strong", {}, `${one.severity}: `), visible(`${one.evidence} ${one.advice}`)]);
  const passed = data.passed.length ? `Nothing found by ${data.passed.length} checks: ${data.passed.join(", ")}. That does not show that the data are correct.` : null;
  return part("Are the data in order?", passed, findings.length ? list(findings) : null);
}

// One sentence per judge.
function judgesInWords(verdict) {
  const names = new Set(verdict.metrics.flatMap((one) => one.judgments.map((judgment) => judgment.judge)));
  const sentences = [...names].map((name) => (name === "people" ? "Human scores show the quality that a metric should measure." : terms.find((one) => one.forms.includes(name))?.sentence));
  return sentences.filter(Boolean).join(" ");
}

// Without a trial: the best system under each metric.
function leaders() {
  const board = payload.board;
  if (!board) return null;
  const sentences = [...new Set(board.scores.map((one) => one.metric))].map((name) => {
    const known = board.scores.filter((one) => one.metric === name && one.score !== null);
    if (known.length < 2) return null;
    known.sort((a, b) => (isError(name) ? a.score - b.score : b.score - a.score));
    const alone = known[0].cluster === 1 && known[1].cluster === 2;
    return [own(known[0].system), ` leads under ${name}, ${score(known[0].score, name)} to ${score(known[1].score, name)} for `, own(known[1].system),
      alone ? ", and the lead is significant." : known[0].cluster ? ", but the lead is not significant." : "."];
  }).filter(Boolean);
  return sentences.length ? section("verdict", "In short", "In short", null, list(sentences), plan()) : null;
}

function plan() {
  if (!payload.plan || !payload.plan.length) return null;
  const line = (step) => [el("strong", {}, step.question), ` ${step.possible ? "" : "Not done: "}`, visible(step.why)];
  const done = payload.plan.filter((step) => step.possible);
  const missing = payload.plan.filter((step) => !step.possible);
  return el("details", { class: "plan" }, el("summary", {}, `Analyses: ${done.length} done${missing.length ? `, ${missing.length} not possible` : ""}`),
    list([...done, ...missing].map(line)));
}
