// Why a case did not pass: each finding with its rule's explanation, and what the provider says beside what it says it of.

import { button, copyable, copying, counted, entry, link, made, said, visible } from "./dom.js";
import { bodyText } from "./data.js";
import { address } from "./place.js";
import { tally } from "./cases.js";
import { parsed, pretty, reached } from "./json.js";

// The cards of a case; `point` leads to a record of the trace.
export function findingCards(each, rules, point) {
  return each.findings.map((finding, number) =>
    new FindingCard(each, finding, number, entry(rules, finding.id), point));
}

// The same cards as the page shows them: for each cause of the case the finding that tells most, with all that follows
// from it folded beneath; then what the baseline expects.
export function causesOf(each, run, cards) {
  const left = new Set(cards);
  const take = (numbers) => numbers.map((number) => cards[number]).filter((card) => left.delete(card));
  const groups = run.causes.flatMap((cause) => {
    const member = cause.members.find(([at]) => run.cases[at] === each);
    const [first, ...others] = member ? take(member[1]) : [];
    if (!first) return [];
    return [made("section", "of-cause", causeLine(cause), first.element, ...following([...others, ...take(member[2])]))];
  });
  return [...groups, ...[...left].map(({ element }) => element)];
}

function causeLine(cause) {
  return made("p", `cause-line cause ${cause.category}`, made("span", "rank", String(cause.number)),
    made("span", "label", visible(cause.label)), " ", link(address({ cause: cause.id }), "", visible(cause.counts)));
}

// Findings that follow from another one, or state the same.
function following(cards) {
  if (!cards.length) return [];
  const rules = tally(cards.map(({ rule }) => rule));
  const names = [...rules].map(([rule, count]) => (count > 1 ? `${rule} ×${count}` : rule)).join(", ");
  const line = made("summary", "", `${counted(cards.length, "more finding")} of the same cause: `, made("code", "", visible(names)));
  return [made("details", "following", line, ...cards.map(({ element }) => element))];
}

class FindingCard {
  #case;
  #finding;
  #excerpt = made("div", "excerpt");

  constructor(each, finding, number, about, point) {
    this.#case = each;
    this.#finding = finding;
    this.element = made("article", `finding card ${finding.known ? "known" : ""}`);
    this.element.append(this.#title(number, about, point));
    if (finding.known) this.element.append(made("p", "reason", made("b", "", "Expected by the baseline: "), said(finding.known)));
    const words = made("dl", "words");
    for (const name of ["expected", "got"]) words.append(made("dt", "", name), said(finding[name] ?? "", "dd"));
    if (finding.detail && finding.said === undefined) words.append(made("dt", "", "detail"), said(finding.detail, "dd"));
    if (finding.conversation) words.append(made("dt", "", "conversation"), said(finding.conversation, "dd"));
    if (finding.line && each.file) {
      const place = said(`${each.shortFile}:${finding.line}`, "dd");
      place.title = visible(`${each.file}:${finding.line}`);
      words.append(made("dt", "", "scenario"), place);
    }
    const seen = finding.said === undefined ? [] : [made("dl", "words", ...answer(finding))];
    const left = made("div", "", words, ...seen, ...observed(about), ...explained(finding, about));
    this.element.append(made("div", "finding-body", left, this.#excerpt));
  }

  get rule() {
    return this.#finding.id;
  }

  // The trace has come: where a request is judged, show it around the place that is minded. Returns that place, with
  // the number of the exchange; null where there is none.
  traced(trace) {
    const exchange = trace.exchanges.findIndex(({ requestAt }) => requestAt === this.#finding.at - 2);
    const place = this.#finding.place || this.#finding.detail;
    const value = exchange < 0 || !place ? undefined : parsed(bodyText(trace.exchanges[exchange].request.body).text);
    if (value === undefined || !reached(value, place)) return null;
    this.#excerpt.append(made("h3", "", "The request at ", said(place, "code", "", 200)), pretty(value, [place], true));
    return { exchange, place };
  }

  #title(number, about, point) {
    const { id, level, impact, at } = this.#finding;
    const bar = made("div", "bar", made("h2", "", link(address({ rule: id }), "", visible(id))),
      ...labels(level, impact), made("p", "statement", visible(about?.statement ?? "")));
    const tools = made("span", "tools");
    if (at !== null) {
      const moment = button(`trace line ${at}`, () => point(at - 1), "point");
      moment.title = "Show this moment in the replay";
      tools.append(moment);
    }
    tools.append(copying("Copy finding", () => findingText(this.#case, this.#finding, about), "copy"));
    bar.append(tools);
    bar.id = `finding-${number + 1}`;
    return bar;
  }

}

// What the provider says of a request that breaks one of its rules: a label and the words.
export function answer({ status, said: words }) {
  const title = status >= 400 ? `provider, HTTP ${status}` : "provider accepts it";
  return [made("dt", "", title), made("dd", "", said(words, "blockquote"))];
}

// The answers of the provider that were seen to such requests.
function observed(about) {
  if (!about?.seen?.length) return [];
  return [made("details", "why", made("summary", "", `Observed provider errors (${about.seen.length})`),
    ...about.seen.map((text) => said(text, "blockquote")))];
}

// Why a rule is one, and its sources.
export function explained({ id, impact }, about) {
  if (!about || impact === "expectation") return [];
  const more = made("details", "why", made("summary", "", "Rationale and sources"), made("p", "", visible(about.why)));
  if (about.applies) more.append(made("p", "", made("b", "", "Applies to "), visible(about.applies)));
  if (about.source.length) more.append(made("ul", "sources", ...about.source.map((source) => said(source, "li"))));
  more.append(copyable(`harness explain ${id}`));
  return [more];
}

// A crash, or why there is nothing to see.
export function otherCards(each, run) {
  const cards = [];
  if (each.error) cards.push(made("article", "finding card", made("h2", "", "The harness could not judge this case"), said(each.error, "pre")));
  if (each.reason) cards.push(made("article", "card calm", made("b", "", "Skipped: "), said(each.reason)));
  if (each.verdict === "xpass") {
    cards.push(made("article", "card calm", made("p", "", "The baseline expects a finding here, and there is none. "
      + "Remove the entry, so that the finding is reported when it returns:"), copyable(`harness baseline prune ${each.target}`)));
  }
  if (each.verdict === "pass") {
    cards.push(passCard(each, uncheckedIn(run)));
  }
  return cards;
}

// What passed; where rules were left out of the run, that it was not everything.
function passCard(each, unchecked) {
  const requests = counted(each.requests, "request");
  if (!unchecked.length) return made("p", "card calm pass", `✓ ${requests}; no rule was broken and every expectation was met.`);
  return made("div", "card calm", made("p", "pass", `✓ ${requests}; none of the rules and expectations that were checked was broken.`),
    made("p", "", made("b", "", "Not checked in this run")), ...unchecked);
}

// Which rules and expectations a run did not check, and why; a line for each reason.
export function uncheckedIn({ unchecked: { only, skipped, excluded } }) {
  const lines = [
    [only, "--rule limits the run to", ""], [skipped, "--skip leaves out", ""],
    [excluded, "", " (not checked, because the adapter of the target is wrong in what they depend on)"],
  ];
  return lines.filter(([names]) => names.length).map(([names, before, after]) =>
    made("p", "unchecked", before ? `${before} ` : "", said(names.join(", "), "code"), after));
}

// Severity and impact, labelled.
export function labels(level, impact) {
  return [
    made("span", `chip ${level === "MUST" ? "bad" : "mild"}`, made("i", "", "severity "), visible(level)),
    made("span", "chip plain", made("i", "", "impact "), visible(impact)),
  ];
}

// A finding as text, for an issue or a prompt.
export function findingText(each, { id, level, impact, at, line, expected = "", got = "", detail, status, said: words }, about, cause) {
  return [
    `${id}: ${about?.statement ?? ""}`,
    "",
    `- case: ${each.id} (target ${each.target}, ${each.wire})`,
    ...(each.summary ? [`- scenario: ${each.summary}`] : []),
    ...(cause ? [`- seen in: ${cause.counts}`] : []),
    `- severity: ${level}, impact: ${impact}`,
    `- expected: ${expected}`,
    `- got: ${got}`,
    ...(words !== undefined && status >= 400 ? [`- the provider answers HTTP ${status}: ${words}`] : detail ? [`- detail: ${detail}`] : []),
    ...(at === null || each.trace === null ? [] : [`- trace: ${each.trace}:${at}`]),
    ...(line && each.file ? [`- expectation: ${each.file}:${line}`] : []),
    ...(about?.why ? [`- why it matters: ${about.why}`] : []),
    ...(each.repeat ? ["", `Repeat: ${each.repeat}`] : []),
  ].join("\n") + "\n";
}

// What a reader should know beside the findings.
export function noteCards(each) {
  if (!each.notes) return [];
  return [made("article", "card calm", made("h2", "", "Notes"), made("ul", "", ...each.notes.map((note) => said(note, "li"))))];
}

// The conversations of a case that has more than the main one, with their numbers of requests.
export function conversationCards(each) {
  if (!each.conversations) return [];
  const rows = each.conversations.flatMap(([name, requests, begins]) =>
    [made("dt", "", visible(name)), made("dd", "", `${counted(requests, "request")}: `, said(begins))]);
  return [made("article", "card", made("h2", "", "Conversations"), made("dl", "words", ...rows))];
}
