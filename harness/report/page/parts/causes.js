// What is wrong with the loop: an entry for every cause, the worst first, with what follows from it inside.

import { copyable, copying, counted, entry, found, link, made, said, visible } from "./dom.js";
import { shortened } from "./data.js";
import { address } from "./place.js";
import { VERDICTS, tally } from "./cases.js";
import { opening } from "./matrix.js";
import { answer, explained, findingText, labels } from "./findings.js";

const OPEN = 2; // entries that show their inside at first
const MOST_SCENARIOS = 12;

// The entries of all runs. `choose` shows the cases of a cause in the matrix.
export function showCauses(data, choose) {
  const several = data.runs.length > 1;
  const lists = data.runs.filter((run) => run.causes.length).map((run) => {
    const list = made("ol", "causes", ...run.causes.map((cause) => new Entry(cause, run, data.rules, choose).element));
    return [...(several ? [made("h3", "", visible(run.target))] : []), list];
  });
  found("#causes .body").replaceChildren(...(lists.length ? lists.flat() : [nothing(data.runs)]));
  found("#causes-title").textContent = headline(data.runs);
}

function headline(runs) {
  const number = runs.reduce((sum, run) => sum + run.causes.length, 0);
  return number ? `What is wrong: ${counted(number, "cause")}` : "What is wrong";
}

function nothing(runs) {
  const judged = runs.some((run) => run.cases.some(({ verdict }) => verdict !== "skip"));
  return made("p", "quiet", judged ? "Nothing: no finding, but what the baseline expects." : "No case was judged.");
}

// The case and the finding by which a cause is shown; the finding is undefined where the case could not be judged.
export function example({ members, shown }, { cases }) {
  const [at, [first]] = members[shown];
  return { each: cases[at], finding: cases[at].findings[first] };
}

class Entry {
  #cause;
  #run;
  #rules;
  #choose;

  constructor(cause, run, rules, choose) {
    this.#cause = cause;
    this.#run = run;
    this.#rules = rules;
    this.#choose = choose;
    const details = made("details", `cause ${cause.category}`, this.#line());
    details.addEventListener("toggle", () => this.#fill(details));
    details.open = cause.number <= OPEN;
    this.#fill(details);
    this.element = made("li", "", details);
  }

  #line() {
    const { number, label, rules, title, counts } = this.#cause;
    return made("summary", "", made("span", "rank", String(number)), made("span", "label", visible(label)),
      made("b", "", visible(rules[0])), made("span", "title", visible(title)), made("span", "counts", visible(counts)));
  }

  #fill(details) {
    if (!details.open || details.childElementCount > 1) return;
    const { each, finding } = example(this.#cause, this.#run);
    const about = finding && entry(this.#rules, finding.id);
    details.append(made("div", "inside", ...(finding ? this.#finding(finding, about) : [said(each.error ?? "", "pre", "", 2000)]),
      ...this.#also(), ...this.#follows(), this.#cases(each), this.#tools(each, finding, about)));
  }

  #finding(finding, about) {
    const words = made("dl", "words");
    for (const name of ["expected", "got"]) words.append(made("dt", "", name), said(finding[name] ?? "", "dd", "", 600));
    if (finding.detail && finding.said === undefined) words.append(made("dt", "", "detail"), said(finding.detail, "dd", "", 600));
    if (finding.said !== undefined) words.append(...answer(finding));
    return [words];
  }

  // Other rules that state the same.
  #also() {
    const [, ...others] = this.#cause.rules;
    return others.length ? [made("p", "follows", made("b", "", "Also broken: "), ...ruleLinks(others.map((rule) => [rule])))] : [];
  }

  #follows() {
    const { consequences } = this.#cause;
    if (!consequences.length) return [];
    return [made("p", "follows", made("b", "", "Consequences: "), ...ruleLinks(consequences.map(([rule, , cases]) => [rule, cases])))];
  }

  // The scenarios in which it was found, each a link to its first case.
  #cases(shown) {
    const cases = this.#cause.members.map(([at]) => this.#run.cases[at]);
    const numbers = tally(cases.map(({ scenario }) => scenario));
    const firsts = new Map([[shown.scenario, shown]]);
    for (const each of cases) if (!firsts.has(each.scenario)) firsts.set(each.scenario, each);
    const links = [...firsts].slice(0, MOST_SCENARIOS).map(([scenario, each]) => {
      const line = opening(each, "", visible(scenario));
      line.title = visible(`${each.id}: ${VERDICTS[each.verdict].word}`);
      return made("span", "", line, numbers.get(scenario) > 1 ? ` ×${numbers.get(scenario)}` : "");
    });
    const left = firsts.size - links.length;
    return made("p", "follows cases", made("b", "", "Found in: "), ...apart(links), ...(left > 0 ? [` and ${counted(left, "more scenario")}`] : []));
  }

  #tools(each, finding, about) {
    const { id, members } = this.#cause;
    const bar = made("div", "bar tools");
    if (finding) bar.append(...labels(finding.level, finding.impact));
    const show = link(address({ cause: id }), "button", `Show ${counted(members.length, "case")} in the table`);
    show.addEventListener("click", (event) => this.#choose(event, { cause: id }));
    bar.append(show);
    if (finding) bar.append(copying("Copy finding", () => findingText(each, finding, about, this.#cause), "copy"));
    if (each.repeat) bar.append(copyable(each.repeat, shortened(each.repeat)));
    return made("div", "", bar, ...(finding ? explained(finding, about) : []));
  }
}

function ruleLinks(rules) {
  return apart(rules.map(([rule, cases]) => {
    const line = link(address({ rule }), "", visible(rule));
    return made("span", "", line, cases ? ` ${counted(cases, "case")}` : "");
  }));
}

function apart(items) {
  return items.flatMap((item, number) => (number ? [", ", item] : [item]));
}
