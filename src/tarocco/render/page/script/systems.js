// Systems: the leaderboard, comparisons of pairs, and parts of the test set.

function figures(where) {
  const shown = charts.filter((chart) => chart.section === where);
  if (!shown.length) return null;
  return el("div", { class: shown.length > 1 ? "figures" : "figures one" }, shown.map((chart) => el("figure", {},
    el("figcaption", {}, visible(chart.title)),
    el("div", { class: "chart", role: "img", "aria-label": visible(chart.description) }, el("div", { id: `chart-${chart.name}` })))));
}

function boardSection() {
  const board = payload.board;
  if (!board) return null;
  const names = [...new Set(board.scores.map((one) => one.metric))];
  const of = new Map(board.scores.map((one) => [`${one.system}\n${one.metric}`, one]));
  const systems = [...new Set(board.scores.map((one) => one.system))];
  const get = (system, name) => of.get(`${system}\n${name}`) || { score: null };
  const best = new Map(names.map((name) => {
    const known = systems.map((system) => get(system, name).score).filter((value) => value !== null);
    return [name, known.length > 1 ? (isError(name) ? Math.min(...known) : Math.max(...known)) : null];
  }));
  const columns = [{ title: "system", label: true, head: true, ascending: true, value: (row) => row, cell: (row) => own(row) }];
  for (const name of names) {
    columns.push({
      title: own(name), ascending: isError(name), remark: isError(name) ? "lower is better" : null,
      value: (row) => get(row, name).score,
      mark: (row) => (best.get(name) !== null && get(row, name).score === best.get(name) ? "best" : ""),
      cell: (row) => {
        const one = get(row, name);
        return el("div", { class: "cell", "data-system": row, "data-metric": name },
          el("span", { class: "value" }, score(one.score, name)),
          one.cluster ? el("span", { class: `cluster c${Math.min(one.cluster, 6)}`, title: `cluster ${one.cluster}` }, el("span", { class: "hidden" }, "cluster "), String(one.cluster)) : null,
          between(one.interval, (value) => score(value, name)));
      },
    });
  }
  for (const extra of [queenColumn(), ...humanColumns()]) if (extra) columns.push(extra);
  const scaled = names.filter((name) => (metrics.get(name) || {}).scale === 100);
  const about = [];
  if (scaled.length) about.push(`Shown times 100: ${scaled.join(", ")}.`);
  if (board.confidence) about.push(`Below a score: its ${100 * board.confidence}% interval, by the bootstrap over segments.`);
  if (board.test && board.test.all_pairs) about.push("Numbers in boxes: the cluster. Systems in cluster 1 are significantly better than all others, those in 2 better than the rest, and so on.");
  return section("systems", "Which system?", "Systems", "Every system under every metric; press a header to sort. Bold is the best of a column.",
    sortable("Scores of systems", columns, systems, 1 + Math.max(0, names.indexOf(payload.verdict?.metrics[0]?.metric))),
    about.length ? el("p", { class: "small" }, explained(about.join(" "))) : null,
    figures("systems"), pairs(board), notes(board.notes));
}

function queenColumn() {
  const queen = payload.queen;
  if (!queen) return null;
  const of = new Map(queen.systems.map((one) => [one.system, one]));
  return { title: "QUEEN", value: (row) => of.get(row)?.queen ?? null, remark: "all metrics together",
    cell: (row) => el("div", { class: "cell", "data-system": row, "data-metric": "QUEEN" }, el("span", { class: "value" }, fixed(of.get(row)?.queen, 3)), between(of.get(row)?.interval, (value) => fixed(value, 3))) };
}

function humanColumns() {
  const human = payload.segments?.human;
  if (!human) return [];
  return Object.entries(human).map(([criterion, columns]) => {
    const means = new Map(payload.systems.map((system, place) => {
      const known = columns[place].filter((value) => value !== null);
      return [system, known.length ? known.reduce((a, b) => a + b, 0) / known.length : null];
    }));
    return { title: own(criterion), remark: "human, mean", value: (row) => means.get(row) ?? null, cell: (row) => fixed(means.get(row), 2) };
  });
}

function pairs(board) {
  if (!board.pairs || !board.pairs.length) return null;
  const word = (one) => `${one.significant ? "significant" : "not significant"}`;
  const columns = [
    { title: "metric", label: true, ascending: true, value: (row) => row.metric, cell: (row) => own(row.metric) },
    { title: "better", label: true, ascending: true, value: (row) => (row.better ? row.system : row.baseline), cell: (row) => own(row.better ? row.system : row.baseline) },
    { title: "than", label: true, ascending: true, value: (row) => (row.better ? row.baseline : row.system), cell: (row) => own(row.better ? row.baseline : row.system) },
    { title: "by", value: (row) => Math.abs(row.difference), cell: (row) => score(Math.abs(row.difference), row.metric) },
    { title: "p-value", ascending: true, value: (row) => row.p_holm, cell: (row) => fixed(row.p_holm, 4) },
    { title: "result", label: true, ascending: true, value: word, cell: word, mark: (row) => (row.significant ? "yes" : "") },
  ];
  const test = board.test;
  return el("details", {}, el("summary", {}, `All ${board.pairs.length} comparisons of two systems`),
    el("p", { class: "small" }, explained(`Test: ${test.name}${test.n_resamples ? `, ${test.n_resamples} resamples, seed ${test.seed}` : ""}. A p-value up to ${test.alpha} is significant; p-values have Holm's correction for all comparisons per metric.`)),
    sortable("Comparisons of two systems", columns, board.pairs, null));
}

function breakdownSection() {
  const all = payload.breakdowns;
  if (!all || !all.length) return null;
  return section("breakdown", "Which kinds of text?", "Kinds of text", "The same scores for parts of the test set: a system may do well on one kind of text only.",
    all.map((one, number) => {
      const names = Object.keys(one.scores);
      const place = el("div");
      const draw = (name) => {
        const table = one.scores[name];
        const known = table.flat().filter((value) => value !== null);
        const [low, high] = [Math.min(0, ...known), Math.max(...known)];
        place.replaceChildren(scrolling(`${name} by ${one.by}`, el("table", { class: "bars" },
          el("caption", {}, own(name), ` by ${one.by}${isError(name) ? ", lower is better" : ""}`),
          el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "label" }, one.by), el("th", { scope: "col", class: "number" }, "segments"),
            one.systems.map((system) => el("th", { scope: "col", class: "number" }, own(system))))),
          el("tbody", {}, one.parts.map((name_of_part, i) => el("tr", {}, el("th", { scope: "row", class: "label" }, own(name_of_part)), el("td", { class: "number" }, String(one.sizes[i])),
            table[i].map((value) => el("td", { class: "number" }, score(value, name),
              value === null ? null : bar((value - low) / (high - low || 1))))))))));
      };
      draw(names[0]);
      return part(`By ${one.by}`, null, names.length > 1 ? select("Metric", `breakdown-${number}`, names.map((name) => [name, name]), names[0], draw) : null, place);
    }));
}

function bar(share) {
  const made = el("span", { class: "bar", "aria-hidden": "true" });
  made.style.setProperty("--share", String(share));
  return made;
}
