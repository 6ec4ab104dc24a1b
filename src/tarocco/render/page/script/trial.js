// The evaluation of metrics: all judges side by side, then each of them.

function agreementSection() {
  const alike = payload.agreement;
  if (!alike || alike.metrics.length < 2) return null;
  let top = null;
  let least = null;
  alike.correlation.forEach((row, i) => row.forEach((value, j) => {
    if (j <= i || value === null) return;
    if (!top || value > top[0]) top = [value, i, j];
    if (!least || value < least[0]) least = [value, i, j];
  }));
  const names = (pair) => [own(alike.metrics[pair[1]]), " and ", own(alike.metrics[pair[2]])];
  return section("agreement", "Which metrics agree?", "Agreement", "The rank correlation of the metrics' segment scores, over all systems; similar metrics are neighbors.",
    top && el("p", {}, names(top), ` are most similar (${fixed(top[0], 2)})`, top[1] === least[1] && top[2] === least[2] ? "." : [", ", names(least), ` least similar (${fixed(least[0], 2)}).`]),
    figures("agreement"));
}

// What each judge says of each metric, as columns of one table.
function judges() {
  const found = [];
  const by = (rows, key = "metric") => new Map(rows.map((row) => [row[key], row]));
  if (payload.orange) {
    const of = by(payload.orange.metrics);
    found.push({ title: "ORANGE", remark: "lower is better", ascending: true, value: (row) => of.get(row)?.orange ?? null, cell: (row) => of.has(row)
      ? cellOf("ORANGE", row, percent(of.get(row).orange, 2), of.get(row).status ?? "", between(of.get(row).orange_interval, (value) => percent(value, 1))) : NOTHING });
  }
  if (payload.king) {
    const of = new Map(payload.king.sets.filter((one) => one.metrics.length === 1).map((one) => [one.metrics[0], one]));
    found.push({ title: "KING", remark: "higher is better", value: (row) => of.get(row)?.king ?? null, cell: (row) => of.has(row)
      ? cellOf("KING", row, fixed(of.get(row).king, 3), "", between(of.get(row).interval, (value) => fixed(value, 2))) : NOTHING });
    found.push({ title: "strict KING", remark: "ties not counted", value: (row) => of.get(row)?.strict_king ?? null, cell: (row) => of.has(row)
      ? cellOf("strict KING", row, fixed(of.get(row).strict_king, 3), "", between(of.get(row).strict_interval, (value) => fixed(value, 2))) : NOTHING });
  }
  for (const judged of payload.people || []) {
    for (const criterion of judged.criteria) {
      const of = by(judged.metrics.filter((one) => one.criterion === criterion));
      found.push({ title: own(judged.criteria.length > 1 ? `people: ${criterion}` : "people"), remark: `${judged.coefficient}, ${judged.level}s`,
        value: (row) => of.get(row)?.value ?? null, cell: (row) => of.has(row)
          ? cellOf(`people ${judged.level} ${criterion}`, row, fixed(of.get(row).value, 3), of.get(row).cluster ? `cluster ${of.get(row).cluster}` : "", between(of.get(row).interval, (value) => fixed(value, 2))) : NOTHING });
    }
  }
  if (payload.curves) {
    const of = by(payload.curves.metrics);
    found.push({ title: "references", remark: "enough", ascending: true, value: (row) => of.get(row)?.enough ?? null, cell: (row) => String(of.get(row)?.enough ?? NOTHING) });
  }
  if (payload.audit) {
    const of = by(payload.audit.metrics);
    found.push({ title: "gamed", remark: "checks", ascending: true, value: (row) => of.get(row)?.found ?? null,
      cell: (row) => of.has(row) ? cellOf("gamed", row, `${of.get(row).found} of ${of.get(row).possible}`, "") : NOTHING });
  }
  return found;
}

function cellOf(judge, metric, value, remark, more) {
  return el("div", { class: "cell", "data-judge": judge, "data-metric": metric }, el("span", { class: "value" }, value), more,
    remark ? el("span", { class: "between" }, remark) : null);
}

function trialSection() {
  const columns = judges();
  if (!columns.length) return null;
  const verdicts = new Map((payload.verdict?.metrics || []).map((one) => [one.metric, one]));
  const names = [...new Set([...verdicts.keys(), ...metrics.keys()])].filter((name) => columns.some((column) => column.value(name) !== null));
  const order = ["trusted", "trusted among these systems", "open", "doubted"];
  const head = [{ title: "metric", label: true, head: true, ascending: true, value: (row) => row, cell: (row) => own(row) }];
  if (verdicts.size) head.push({ title: "verdict", label: true, ascending: true, value: (row) => (verdicts.has(row) ? order.indexOf(verdicts.get(row).trust) : null), cell: (row) => (verdicts.has(row) ? chip(verdicts.get(row).trust) : NOTHING) });
  const several = columns.length > 1;
  return section("trial", "Which metric?", "Metrics", several
    ? "The metrics, with all judges side by side; click a header to sort by one judge. The judges are explained below."
    : "The metrics and their judge.",
  several ? sortable("Metrics and their judges", [...head, ...columns], names, verdicts.size ? null : 1) : null,
  orangePart(), kingPart(), optimalPart(), peopleParts(), jackPart(), auditPart());
}

function orangePart() {
  const orange = payload.orange;
  if (!orange) return null;
  const columns = [
    { title: "metric", label: true, head: true, ascending: true, value: (row) => row.metric, cell: (row) => own(row.metric) },
    { title: "ORANGE", ascending: true, value: (row) => row.orange, cell: (row) => el("div", { class: "cell" }, percent(row.orange, 2), between(row.orange_interval, (value) => percent(value, 2))) },
    { title: "average rank", ascending: true, value: (row) => row.average_rank, cell: (row) => el("div", { class: "cell" }, fixed(row.average_rank, 1), between(row.interval, (value) => fixed(value, 1))) },
    { title: "difference", remark: "from the best", ascending: true, value: (row) => row.difference, cell: (row) => (row.difference ? percent(row.difference, 2) : NOTHING) },
    { title: "", label: true, ascending: true, value: (row) => (row.worse_than_best ? 1 : 0), cell: (row) => (row === orange.metrics[0] ? "best" : row.worse_than_best ? "worse than the best" : "open") },
  ];
  return part("ORANGE: does it rank human translations first?",
    "The human translations of each segment are ranked within a system's n-best list. ORANGE is their average rank as a share of the list: 0% is the top, and 50% is chance.",
    el("p", { class: "small" }, visible(orange.about)), beside(sortable("ORANGE", columns, orange.metrics, 1), figures("orange")), notes(orange.notes));
}

function kingPart() {
  const king = payload.king;
  if (!king) return null;
  const name = (row) => (row.metrics.length > 1 ? `all ${row.metrics.length} together` : row.metrics[0]);
  const columns = [
    { title: "metrics", label: true, head: true, ascending: true, value: name, cell: (row) => own(name(row)) },
    { title: "KING", value: (row) => row.king, cell: (row) => el("div", { class: "cell" }, fixed(row.king, 3), between(row.interval, (value) => fixed(value, 3))) },
    { title: "strict KING", value: (row) => row.strict_king, cell: (row) => el("div", { class: "cell" }, fixed(row.strict_king, 3), between(row.strict_interval, (value) => fixed(value, 3))) },
    { title: "ties", ascending: true, value: (row) => row.ties, cell: (row) => percent(row.ties) },
  ];
  return part("KING: does it separate human from machine translations?",
    "Each reference in turn is compared with the systems, as if it were a system. KING is the share of cases in which the metric finds it at least as good as every system; strict KING counts only those in which it is better.",
    beside(sortable("KING", columns, king.sets, 2), figures("king")), notes(king.notes));
}

function optimalPart() {
  const best = payload.optimal;
  if (!best) return null;
  const strict = best.ties === "strict";
  const value = (one) => fixed(strict ? one.strict_king : one.king, 3);
  const word = strict ? "strict KING" : "KING";
  const cross = best.cross_validation;
  const columns = [
    { title: "step", ascending: true, value: (row) => row.step, cell: (row) => String(row.step) },
    { title: "metric", label: true, head: true, ascending: true, value: (row) => row.metric, cell: (row) => own(row.metric) },
    { title: "KING of the set", value: (row) => row.king, cell: (row) => fixed(row.king, 3) },
    { title: "strict KING", value: (row) => row.strict_king, cell: (row) => fixed(row.strict_king, 3) },
    { title: `adds to ${word}`, value: (row) => (strict ? row.adds.strict_king : row.adds.king), cell: (row) => value(row.adds) },
  ];
  return part("Which metrics together?", `The set of metrics with the highest ${word}, found by a search (${best.method}).`,
    el("p", {}, visible(best.metrics.join(" + ")), `: ${word} ${value(best)}.`,
      cross ? ` On unseen segments it is ${value(cross)}; the best single metric has ${value(cross.best_single)}.` : ""),
    beside(sortable("The best set, step by step", columns, best.path.map((one, place) => ({ ...one, step: place + 1 })), 0),
      best.path.length > 1 ? figures("optimal") : null), notes(best.notes));
}

function peopleParts() {
  return (payload.people || []).map((judged, number) => {
    const columns = [
      { title: "metric", label: true, head: true, ascending: true, value: (row) => row.metric, cell: (row) => [own(row.metric), row.sentinel ? el("span", { class: "remark" }, "baseline") : null] },
      judged.criteria.length > 1 ? { title: "criterion", label: true, ascending: true, value: (row) => row.criterion, cell: (row) => own(row.criterion) } : null,
      ...["pearson", "spearman", "kendall"].filter((name) => judged.metrics.some((row) => row[name] !== undefined)).map((name) => ({
        title: name, value: (row) => row[name], cell: (row) => el("div", { class: "cell" }, fixed(row[name], 3), name === judged.coefficient ? between(row.interval, (value) => fixed(value, 2)) : null) })),
      judged.metrics.some((row) => row.accuracy !== undefined) ? { title: "pairs of systems", remark: "in the human order", value: (row) => row.accuracy, cell: (row) => percent(row.accuracy) } : null,
      judged.metrics.some((row) => row.accuracy_with_ties !== undefined) ? { title: "pairs of outputs", remark: "in the human order, with ties", value: (row) => row.accuracy_with_ties, cell: (row) => percent(row.accuracy_with_ties) } : null,
      { title: "cluster", ascending: true, value: (row) => row.cluster, cell: (row) => String(row.cluster ?? NOTHING) },
    ].filter(Boolean);
    const grouping = judged.grouping === "item" ? ", segment by segment" : judged.grouping === "system" ? ", system by system" : "";
    const place = columns.findIndex((column) => column.title === judged.coefficient);
    return part(`Human scores: does it agree with them? (${judged.level} level${grouping})`,
      judged.level === "system" ? "The correlation of system scores with human scores: does the metric rank systems as people do?" : "The correlation of segment scores with human scores.",
      beside(sortable(`Correlation with people, ${judged.level} level`, columns, judged.metrics, place < 0 ? null : place), figures(`people-${number}`)), notes(judged.notes));
  });
}

function jackPart() {
  const jack = payload.jack;
  if (!jack) return null;
  return part("JACK: is the test bed reliable?", "JACK is the share of references with different translations around them. If it is low, more and more different systems would make the verdict more reliable.",
    list(jack.sets.map((one) => [own(one.metrics.join(" + ")), `: JACK ${fixed(one.jack, 3)} `, between(one.interval, (value) => fixed(value, 3))])), notes(jack.notes));
}

function auditPart() {
  const audit = payload.audit;
  if (!audit) return null;
  const columns = audit.header.map((title, place) => ({
    title: own(title), label: place === 0, head: place === 0, ascending: place === 0, value: (row) => ordered(row.cells[place]),
    mark: (row) => (row.starred.includes(place) ? "starred" : ""),
    cell: (row) => (place === 0 ? own(row.cells[0]) : [row.cells[place].replace("-", row.cells[place] === "-" ? NOTHING : "−"), row.starred.includes(place) ? el("span", { class: "star", title: "found" }, "★", el("span", { class: "hidden" }, " found")) : null]),
  }));
  const found = audit.metrics.filter((one) => one.sentences.length);
  return part("Gameability: can it be tricked?", "Five checks test changes that no metric should reward. A star marks a check in which the metric was gamed.",
    sortable("Checks of an audit", columns, audit.metrics, null),
    el("details", {}, el("summary", {}, "Meaning of the columns"), list(audit.legend.map(visible))),
    found.length ? el("details", {}, el("summary", {}, "Findings in sentences"), found.map((one) => [el("h4", {}, own(one.metric)), list(one.sentences.map(visible))])) : null,
    notes(audit.notes));
}

function ordered(cell) {
  const found = /[-+]?\d+(\.\d+)?/.exec(cell);
  return found && !/^[A-Za-z]/.test(cell) ? Number(found[0]) : cell === "-" ? null : cell === "no" ? 0 : cell;
}

function referencesSection() {
  const part_ = payload.curves;
  if (!part_) return null;
  return section("references", "How many references?", "References", `${part_.judged_by}, with 1, 2, 3, ... of the references. Bands are one standard deviation over subsets.`,
    beside(list(part_.advice.map(visible)), figures("references")), notes(part_.notes));
}
