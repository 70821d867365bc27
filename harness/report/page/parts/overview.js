// All runs at a glance: totals, findings by rule, what was skipped or expected, the matrix.

import { button, copyable, counted, found, link, made, said, seconds, visible } from "./dom.js";
import { address, filters, note } from "./place.js";
import { VERDICTS, WORST_FIRST, byScenario, filtered, tally } from "./cases.js";
import { showCauses } from "./causes.js";
import { columns, matrix } from "./matrix.js";
import { overTime } from "./plots.js";

export class Overview {
  #data;
  #all;
  #columns;
  #shown = []; // the cases that the filters leave, in the order of the matrix

  constructor(data) {
    this.#data = data;
    this.#all = data.runs.flatMap((run) => run.cases);
    this.#columns = columns(data.runs, this.#all);
    this.#facts();
    this.#notices();
    showCauses(data, (event, changes) => this.#instead(event, changes));
    this.#rules();
    this.#reasons();
    this.#history();
    this.#form();
  }

  get shown() {
    return this.#shown;
  }

  show() {
    const wanted = filters();
    this.#fill(wanted);
    const rows = byScenario(filtered(this.#all, wanted), wanted.sort);
    this.#shown = rows.flatMap(({ cases }) => cases);
    this.#totals(wanted);
    found("#count").textContent = this.#shown.length === this.#all.length
      ? counted(this.#all.length, "case")
      : `${this.#shown.length.toLocaleString("en")} of ${counted(this.#all.length, "case")}`;
    found("#matrix").replaceChildren(...matrix(rows, this.#columns));
    found("#none").hidden = rows.length > 0;
    found("#none span").textContent = this.#all.length ? "No case matches the filters." : "This run has no cases.";
    found("#none button").hidden = !this.#all.length;
  }

  // --- above the matrix ---------------------------------------------------------------------------------------

  #facts() {
    const { runs } = this.#data;
    const targets = visible(runs.map((run) => run.target).join(", "));
    document.title = `${targets} · harness report`;
    found("#facts").replaceChildren(made("strong", "", targets), ...(runs.length === 1 ? [` ${circumstances(runs[0])}`] : []));
    found("#runs").hidden = runs.length === 1;
    found("#runs").replaceChildren(...runs.map((run) => {
      const totals = tally(run.cases.map(({ verdict }) => verdict));
      const counts = WORST_FIRST.filter((verdict) => totals.has(verdict)).flatMap((verdict) =>
        [made("span", `count ${verdict}`, counted(totals.get(verdict), VERDICTS[verdict].word, VERDICTS[verdict].word)), " "]);
      return made("tr", "", made("th", "", visible(run.target)), made("td", "", ...counts), made("td", "quiet", circumstances(run)));
    }));
  }

  #totals(wanted) {
    const totals = tally(this.#all.map(({ verdict }) => verdict));
    const chosen = new Set((wanted.verdict ?? "").split(",").filter(Boolean));
    const bar = made("div", "shares");
    bar.ariaHidden = "true";
    const chips = made("div", "chips");
    for (const verdict of WORST_FIRST) {
      const count = totals.get(verdict) ?? 0;
      const part = made("span", verdict);
      part.style.flexGrow = count;
      if (count) bar.append(part);
      const chip = button("", () => this.#toggle(verdict, chosen), `chip ${verdict}${count ? "" : " zero"}`);
      chip.append(made("b", "", count.toLocaleString("en")), ` ${VERDICTS[verdict].word}`);
      chip.ariaPressed = String(chosen.has(verdict));
      chip.dataset.verdict = verdict;
      if (count || verdict === "pass" || verdict === "fail") chips.append(chip);
    }
    const changed = this.#all.filter(({ changes }) => changes.length).length;
    if (changed) {
      const chip = button("", () => this.#filter({ changed: wanted.changed ? "" : "1" }), "chip changes");
      chip.append(made("b", "", changed.toLocaleString("en")), ` changed since ${visible(this.#data.against.base)}`);
      chip.ariaPressed = String(Boolean(wanted.changed));
      chip.dataset.verdict = "changes";
      chips.append(chip);
    }
    const focused = document.activeElement?.dataset?.verdict;
    found("#totals").replaceChildren(bar, chips);
    if (focused) found(`.chip.${focused}`)?.focus();
  }

  #toggle(verdict, chosen) {
    if (!chosen.delete(verdict)) chosen.add(verdict);
    this.#filter({ verdict: WORST_FIRST.filter((each) => chosen.has(each)).join(",") });
  }

  #notices() {
    const notices = this.#data.runs.flatMap((run) => [
      ...(run.complete ? [] : [made("p", "notice", `The run of ${visible(run.target)} was interrupted: the cases that had ended are here.`)]),
      ...run.driver.map((finding) => driverNotice(run, finding)),
      ...(run.stale.length ? [this.#stale(run)] : []),
    ]);
    found("#notices").replaceChildren(...notices);
  }

  #stale(run) {
    const list = made("ul", "", ...run.stale.map(([place, what, why]) =>
      made("li", "", said(place, "code"), " ", said(what, "b"), ` ${visible(why)}`)));
    const prune = copyable(`harness baseline prune ${run.target}`);
    return made("div", "notice", made("p", "", made("b", "", counted(run.stale.length, "thing")),
      ` in ${visible(run.baseline ?? "the baseline")} no longer found:`), list, prune);
  }

  #rules() {
    const cases = tally(this.#all.flatMap((each) => each.rules));
    const unexpected = tally(this.#all.flatMap((each) =>
      [...new Set(each.findings.filter(({ known }) => !known).map(({ id }) => id))]));
    const most = Math.max(1, ...cases.values());
    const order = [...cases.keys()].sort((a, b) =>
      (unexpected.get(b) ?? 0) - (unexpected.get(a) ?? 0) || cases.get(b) - cases.get(a));
    const rows = order.map((rule) => this.#rule(rule, cases.get(rule), unexpected.get(rule) ?? 0, most));
    found("#rules .body").replaceChildren(rows.length ? made("ul", "bars", ...rows) : made("p", "quiet", "None."));
  }

  #rule(rule, cases, unexpected, most) {
    const line = link(address({ rule }), "bar-row");
    line.addEventListener("click", (event) => this.#instead(event, { rule }));
    const bar = made("span", "bar-field");
    for (const [count, kind] of [[unexpected, "fail"], [cases - unexpected, "xfail"]]) {
      const part = made("span", kind);
      part.style.width = `${(count / most) * 100}%`;
      bar.append(part);
    }
    const about = this.#data.rules[rule];
    line.append(made("span", "name", visible(rule)), bar, made("span", "number", String(cases)),
      made("span", "about", visible(about?.statement ?? rule)));
    line.title = `${counted(cases, "case")}, ${unexpected} of them unexpected`;
    return made("li", "", line);
  }

  #reasons() {
    const skipped = tally(this.#all.filter(({ verdict }) => verdict === "skip").map(({ reason }) => reason ?? ""));
    const known = tally(this.#all.flatMap((each) => [...new Set(each.findings.map((one) => one.known).filter(Boolean))]));
    const cards = [["Skipped", skipped], ["Expected by the baseline", known]].filter(([, reasons]) => reasons.size);
    found("#reasons").replaceChildren(...cards.map(([title, reasons]) => made("div", "card", made("h2", "", title),
      made("ul", "told-reasons", ...[...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) =>
        made("li", "", made("b", "number", String(count)), said(reason, "span", "", 400)))))));
  }

  #history() {
    const { history } = this.#data;
    if (!history) return;
    const cards = new Set(history.counts.map(([run]) => run)).size < 2 ? []
      : [overTime(history.counts, (rule) => address({ rule }))];
    if (!cards.length) cards.push(made("section", "card plot", made("h2", "", "Past runs")));
    if (history.page) cards[0].append(made("p", "", link(encodeURIComponent(history.page), "", "All past runs")));
    found("#plots").replaceChildren(...cards);
  }

  // --- the filters --------------------------------------------------------------------------------------------

  #form() {
    const form = found("#filters");
    const rules = [...new Set(this.#all.flatMap((each) => each.rules))].sort();
    const wires = [...new Set(this.#all.map(({ wire }) => wire))];
    const profiles = [...new Set(this.#all.map(({ profile }) => profile))].sort();
    for (const [name, any, values] of [
      ["rule", "any rule", rules], ["wire", "any API format", wires], ["profile", "any profile", profiles],
    ]) {
      form.elements[name].append(new Option(any, ""), ...values.map((value) => new Option(visible(value), value)));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", ({ target }) => this.#filter({ [target.name]: target.value }));
    found("#clear").addEventListener("click", () => this.clear());
    found("#none button").addEventListener("click", () => this.clear());
  }

  #fill(wanted) {
    for (const name of ["q", "rule", "wire", "profile", "sort"]) {
      const field = found("#filters").elements[name];
      const value = wanted[name] ?? "";
      if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
        field.append(new Option(visible(value), value)); // a family of rules, in a link that somebody has written
      }
      if (field.value !== value) field.value = value;
    }
    found("#clear").hidden = Object.keys(wanted).every((name) => name === "sort");
  }

  #filter(changes) {
    note(changes);
    this.show();
  }

  clear() {
    const { sort } = filters();
    this.#filter({ q: "", verdict: "", cause: "", scenario: "", rule: "", wire: "", profile: "", changed: "", sort });
  }

  #instead(event, changes) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.#filter(changes);
    found("#cases").scrollIntoView();
  }
}

// What calibration has found in the driver of a target: rules that depend on it are not judged in the run.
function driverNotice(run, finding) {
  const words = made("dl", "words");
  for (const name of ["on", "expected", "got", "change", "excluded", "known"]) {
    const label = name === "excluded" ? "not checked because of this" : name;
    if (finding[name]) words.append(made("dt", "", label), said(finding[name], "dd"));
  }
  const title = `${finding.suspect[0].toUpperCase()}${finding.suspect.slice(1)} of ${visible(run.target)}`;
  return made("div", "notice driver", made("p", "", made("b", "", title), " (", said(finding.place, "code"), "): ",
    said(finding.rule, "code"), " ", said(finding.states)), words);
}

// Of a run: the versions of its target, when it was, and how long its cases took.
function circumstances({ versions, started, cases, harness, seed }) {
  const when = new Date(started);
  const parts = [
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    Number.isNaN(when.getTime()) ? started : when.toLocaleString(),
    `${seconds(cases.reduce((sum, each) => sum + each.seconds, 0))} in cases`,
    `harness ${harness}`,
    ...(seed ? [`seed ${seed}`] : []),
  ];
  return visible(parts.join(" · "));
}
