// A small plot: findings per rule over the runs of a history.

import { drawn, link, made, visible } from "./dom.js";

const WIDTH = 1000;
const HEIGHT = 200;

// A run is mostly called by the time at which it began.
function when(run) {
  return /^\d{4}-\d\d-\d\dT/.test(run) ? run.slice(0, 16).replace("T", " ") : run;
}

function placed(text, y) {
  const label = made("span", "", text);
  label.style.top = `${(y / HEIGHT) * 100}%`;
  return label;
}

// `history` has [run, rule, count], the oldest run first; shown are the rules that were broken most.
export function overTime(history, address) {
  const runs = [...new Set(history.map(([run]) => run))];
  const totals = new Map();
  for (const [, rule, count] of history) totals.set(rule, (totals.get(rule) ?? 0) + count);
  const rules = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a)).slice(0, 6);
  const counts = new Map(history.map(([run, rule, count]) => [`${run}\n${rule}`, count]));
  const most = history.reduce((high, [, , count]) => Math.max(high, count), 1);
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
  svg.append(drawn("title", {}, `Findings per rule over ${runs.length} runs`));
  const keys = made("ul", "keys");
  rules.forEach((rule, number) => {
    const points = runs.map((run, at) => {
      const x = runs.length === 1 ? WIDTH / 2 : (at / (runs.length - 1)) * (WIDTH - 20) + 10;
      return `${x} ${HEIGHT - 8 - ((counts.get(`${run}\n${rule}`) ?? 0) / most) * (HEIGHT - 16)}`;
    });
    svg.append(drawn("path", { class: `line line-${number}`, d: `M${points.join("L")}${points.length === 1 ? "h0" : ""}` }));
    const last = counts.get(`${runs.at(-1)}\n${rule}`) ?? 0;
    keys.append(made("li", `line-${number}`, link(address(rule), "", visible(rule)), ` ${last}`));
  });
  const axis = made("div", "axis", placed(String(most), 8), placed("0", HEIGHT - 8));
  const ends = made("p", "caption ends", ...[...new Set([runs[0], runs.at(-1)])].map((run) => made("span", "", visible(when(run)))));
  return made("section", "card plot", made("h2", "", "Findings over time"), made("div", "figure", axis, made("div", "field", svg)), ends, keys);
}
