// The matrix: a row for every scenario, a column for every wire and run, a square for every case.

import { link, made, seconds, visible } from "./dom.js";
import { address, filters, go, place } from "./place.js";
import { VERDICTS, WORST_FIRST, tally } from "./cases.js";

// A column for every wire, and within it for every run that has a case of it.
export function columns(runs, cases) {
  const wires = [...new Set(cases.map(({ wire }) => wire))];
  const used = new Set(cases.map(({ wire, run }) => `${wire} ${run}`));
  const labels = new Map(cases.map(({ wire, label }) => [wire, label]));
  return wires.flatMap((wire) => runs.map((run, number) => ({ wire, label: labels.get(wire), run: number, target: run.target })))
    .filter(({ wire, run }) => used.has(`${wire} ${run}`));
}

// What the table holds: its head and its body, or nothing. Tab stops at one square; the arrows do the rest (keys.js).
export function matrix(rows, columns) {
  if (!rows.length) return [];
  const body = made("tbody", "", ...rows.map((each) => scenarioRow(each, columns)));
  body.querySelector(".square").tabIndex = 0;
  return [headRows(columns), body];
}

function headRows(columns) {
  const wires = made("tr", "", made("th", "", "scenario"), made("th", "profile", "profile"));
  const labels = new Map(columns.map(({ wire, label }) => [wire, label]));
  for (const [wire, span] of tally(columns.map((column) => column.wire))) {
    const cell = made("th", "wire", visible(labels.get(wire)));
    cell.colSpan = span;
    cell.scope = "colgroup";
    wires.append(cell);
  }
  wires.append(made("th", "time", "time"));
  const several = new Set(columns.map(({ run }) => run)).size > 1;
  return made("thead", "", wires, ...(several ? [targetRow(columns)] : []));
}

function targetRow(columns) {
  const row = made("tr", "", made("th"), made("th", "profile"));
  for (const { target } of columns) {
    const cell = made("th", "target", visible(target));
    cell.title = cell.textContent;
    row.append(cell);
  }
  row.append(made("th"));
  return row;
}

function scenarioRow({ scenario, cases, time }, columns) {
  const worst = cases.reduce((bad, each) => (rank(each) < rank(bad) ? each : bad));
  const open = opening(worst, "name", visible(scenario));
  open.tabIndex = -1; // the squares lead there by keyboard
  const name = made("th", "scenario", open, ...(worst.summary ? [made("span", "summary", visible(worst.summary))] : []));
  name.scope = "row";
  name.title = visible([scenario, worst.summary].filter(Boolean).join(": "));
  const profiles = [...new Set(cases.map(({ profile }) => profile))].join(", ");
  const row = made("tr", "", name, made("td", "profile", visible(profiles)));
  for (const { wire, run } of columns) {
    const here = cases.filter((each) => each.wire === wire && each.run === run);
    row.append(made("td", "", ...here.map(square)));
  }
  row.append(made("td", "time", seconds(time)));
  row.addEventListener("click", (event) => {
    if (!event.target.closest("a") && getSelection().isCollapsed) open.click();
  });
  return row;
}

function rank({ verdict }) {
  return WORST_FIRST.indexOf(verdict);
}

function square(each) {
  const changed = each.changes.length > 0;
  const { sign, word } = VERDICTS[each.verdict];
  const mark = opening(each, `square ${each.verdict}${changed ? " changed" : ""}`, sign);
  const rules = each.rules.join(", ");
  mark.title = visible(`${each.id}: ${word}${rules ? ` (${rules})` : ""}${changed ? ", changed" : ""}`);
  mark.ariaLabel = mark.title;
  mark.tabIndex = -1;
  return mark;
}

// A link to a case. What is copied of it names the case alone; who follows it comes back to the same filters.
export function opening(each, name, ...children) {
  const members = { ...(each.run ? { run: each.run } : {}), case: each.id };
  const line = link(address(members), name, ...children);
  line.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go({ ...filters(place()), ...members });
  });
  return line;
}
