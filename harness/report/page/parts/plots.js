// Small plots: a mark for every case, on a logarithmic scale; the rules over the runs of a history.

import { drawn, link, made, visible } from "./dom.js";
import { WORST_FIRST, ruleName } from "./cases.js";

const WIDTH = 1000;
const HEIGHT = 200;

// A value for every case, in the order of the plan. `show` writes a value, `open` opens a case.
export function scatter(title, cases, value, show, open, slowest) {
  const points = cases.filter((each) => value(each) > 0);
  const card = made("section", "card plot", made("h2", "", title));
  if (!points.length) {
    card.append(made("p", "quiet", "Nothing to show."));
    return card;
  }
  const scale = logarithmic(points.map(value));
  const x = (index) => ((index + 0.5) / points.length) * WIDTH;
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const step of scale.steps) svg.append(drawn("path", { class: "grid", d: `M0 ${scale.y(step)}H${WIDTH}` }));
  for (const verdict of [...WORST_FIRST].reverse()) {
    const marks = points.map((each, index) => (each.verdict === verdict ? `M${x(index)} ${scale.y(value(each))}h0` : ""));
    svg.append(drawn("path", { class: `marks ${verdict}`, d: marks.join("") }));
  }
  const axis = made("div", "axis", ...scale.steps.map((step) => placed(show(step), scale.y(step))));
  const field = made("div", "field", svg);
  const caption = made("p", "caption");
  const extremes = [...points].sort((a, b) => value(b) - value(a));
  const resting = () => {
    const chosen = slowest ? extremes[0] : extremes.at(-1);
    caption.replaceChildren(`${slowest ? "slowest" : "fewest"} ${show(value(chosen))}: `, open(chosen));
  };
  pointed(field, (share) => points[Math.min(points.length - 1, Math.floor(share * points.length))], (each) =>
    caption.replaceChildren(`${show(value(each))}: `, open(each)), resting);
  resting();
  card.append(made("div", "figure", axis, field), caption);
  return card;
}

// The case under the pointer is named; a press opens it.
function pointed(field, at, name, rest) {
  const under = (event) => {
    const box = field.getBoundingClientRect();
    return at(Math.max(0, Math.min(0.999, (event.clientX - box.left) / box.width)));
  };
  field.addEventListener("pointermove", (event) => name(under(event)));
  field.addEventListener("pointerleave", rest);
  field.addEventListener("click", (event) => {
    name(under(event));
    field.parentElement.parentElement.querySelector(".caption a").click();
  });
}

function logarithmic(values) {
  const low = Math.floor(Math.log10(values.reduce((a, b) => Math.min(a, b))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(values.reduce((a, b) => Math.max(a, b)))));
  const y = (value) => HEIGHT - 8 - ((Math.log10(value) - low) / (high - low)) * (HEIGHT - 16);
  return { y, steps: Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)) };
}

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
    keys.append(made("li", `line-${number}`, link(address(rule), "", visible(ruleName(rule))), ` ${last}`));
  });
  const axis = made("div", "axis", placed(String(most), 8), placed("0", HEIGHT - 8));
  const ends = made("p", "caption ends", ...[...new Set([runs[0], runs.at(-1)])].map((run) => made("span", "", visible(when(run)))));
  return made("section", "card plot", made("h2", "", "Findings over time"), made("div", "figure", axis, made("div", "field", svg)), ends, keys);
}
