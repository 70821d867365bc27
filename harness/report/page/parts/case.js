// One case: its verdict and findings, and, when its trace has come, the replay and the exchanges.

import { copyable, counted, entry, found, link, made, said, seconds, visible } from "./dom.js";
import { shortened, traceAddress, traceOf } from "./data.js";
import { address, filters, note, place } from "./place.js";
import { VERDICTS } from "./cases.js";
import { causesOf, conversationCards, findingCards, noteCards, otherCards } from "./findings.js";
import { Exchanges } from "./exchanges.js";
import { Lanes } from "./lanes.js";
import { Told } from "./told.js";
import { Preview } from "./preview.js";

const LONGEST_PLAY = 15_000; // milliseconds
const PER_RECORD = 40;

const CHUNKINGS = {
  whole: "responses arrive in one piece",
  event: "responses arrive event by event",
  token: "responses arrive in small pieces of text",
  byte: "responses arrive byte by byte",
  adversarial: "responses are cut at the worst places",
  random: "responses are cut at random places",
};
const SOURCES = { script: "scripted answers" };

// Under which conditions a case was run, as labelled facts; where its trace is.
function circumstancesOf(each) {
  const facts = [
    ["target", each.target], ["API format", each.wire], ["profile", each.profile],
    ["", entry(CHUNKINGS, each.chunking) ?? `chunking ${each.chunking}`], ["", entry(SOURCES, each.source) ?? `answers: ${each.source}`],
    ["seed", String(each.seed)], ["", counted(each.requests, "request")], ["", seconds(each.seconds)],
  ];
  const items = facts.map(([label, value]) => made("span", "fact", ...(label ? [made("i", "", label), " "] : []), visible(value)));
  const trace = traceAddress(each);
  if (trace) {
    const line = link(trace, "fact", "trace file");
    line.title = visible(`${each.folder}/${each.trace}`);
    items.push(line);
  }
  return items.flatMap((item) => [item, " "]);
}

export class CaseView {
  #data;
  #preview = new Preview(found("#page"));
  #each = null;
  #trace = null;
  #parts = []; // what moves with the scrubber: lanes, told, exchanges
  #codes = []; // [record, code, kind]
  #code = null;
  #t = 0;
  #playing = 0;

  constructor(data) {
    this.#data = data;
    found("#play").addEventListener("click", () => this.play());
  }

  // Show a case; `order` are the cases as the overview has them.
  show(each, order) {
    this.#neighbours(each, order);
    if (this.#each === each) {
      this.#arrive();
      return;
    }
    this.leave();
    this.#each = each;
    this.#head(each);
    const cards = findingCards(each, this.#data.rules, (t) => this.point(t));
    found("#findings").replaceChildren(...otherCards(each, this.#data.runs[each.run]), ...causesOf(each, this.#data.runs[each.run], cards),
      ...noteCards(each), ...conversationCards(each));
    this.#changes(each);
    found("#traced").hidden = true;
    found("#loading").textContent = "Loading the trace…";
    traceOf(each).then((trace) => this.#traced(each, trace, cards), (problem) => {
      if (this.#each === each) found("#loading").textContent = visible(problem.message);
    });
  }

  leave() {
    this.#pause();
    this.#each = this.#trace = null;
    this.#parts = [];
  }

  #head(each) {
    const { sign, word } = VERDICTS[each.verdict];
    document.title = `${visible(each.id)} · harness report`;
    found("#case-title").replaceChildren(made("span", `verdict ${each.verdict}`, `${sign} ${word}`), ` ${visible(each.id)}`);
    found("#case-title").focus({ preventScroll: true });
    found("#case-summary").replaceChildren(said(each.summary, "span", "", 600));
    found("#case-summary").hidden = !each.summary;
    found("#case-facts").replaceChildren(...circumstancesOf(each));
    found("#repeat").replaceChildren(...(each.repeat ? [copyable(each.repeat, shortened(each.repeat))] : []));
  }

  #neighbours(each, order) {
    const at = order.indexOf(each);
    found("#rank").textContent = at < 0 ? "" : `${at + 1} of ${order.length}`;
    found("#back").href = address(filters());
    for (const [id, other] of [["#previous", order[at - 1]], ["#next", at < 0 ? undefined : order[at + 1]]]) {
      found(id).hidden = !other;
      if (other) found(id).href = address({ ...filters(), ...(other.run ? { run: other.run } : {}), case: other.id });
    }
  }

  #changes(each) {
    const { against } = this.#data;
    found("#against").hidden = !each.changes.length;
    const kinds = { "+": "added", "-": "removed" };
    found("#against").replaceChildren(made("h2", "", `Changed since ${visible(against?.base ?? "")}`),
      made("pre", "diff", ...each.changes.map((line) => said(`${line}\n`, "span", kinds[line[0]] ?? ""))));
  }

  // --- with its trace -----------------------------------------------------------------------------------------

  #traced(each, trace, cards) {
    if (this.#each !== each) return;
    this.#trace = trace;
    this.#codes = trace.records.flatMap((record, at) =>
      typeof record.code === "string" && (record.event !== "final" || record.code)
        ? [[at, record.code, record.preview ? "preview" : "result"]] : []);
    found("#loading").textContent = trace.records.length ? "" : "The loop emitted no event and sent no request: the trace is empty.";
    found("#traced").hidden = false;
    found("#replay").hidden = found(".stage").hidden = !trace.records.length;
    found("#page").hidden = !this.#codes.length;
    const places = new Map();
    for (const { exchange, place: minded } of cards.map((card) => card.traced(trace)).filter(Boolean)) {
      places.set(exchange, [...new Set(places.get(exchange)).add(minded)]);
    }
    this.#parts = [
      new Lanes(found("#lanes"), trace, each.findings, (t) => { this.#pause(); this.to(t); }),
      new Told(trace),
      new Exchanges(trace, places),
    ];
    this.#arrive();
  }

  // To the trace line in the address; without one, to the end.
  #arrive() {
    if (!this.#trace) return;
    const line = Number(place().t ?? NaN);
    this.#move(Number.isInteger(line) ? line - 1 : this.#trace.records.length);
  }

  to(t) {
    if (!this.#trace) return;
    this.#move(t);
    note({ t: this.#t + 1 });
  }

  step(by) {
    this.#pause();
    this.to(this.#t + by);
  }

  // To a record that a finding names, in view.
  point(t) {
    this.#pause();
    this.to(t);
    found("#replay").scrollIntoView({ block: "start" });
  }

  nextFinding() {
    const places = this.#each?.findings.filter(({ at }) => at !== null).map(({ at }) => at - 1) ?? [];
    const next = places.sort((a, b) => a - b).find((at) => at > this.#t) ?? places[0];
    if (next !== undefined) this.point(next);
  }

  #move(t) {
    this.#t = Math.max(0, Math.min(this.#trace.records.length, t));
    const [lanes] = this.#parts;
    for (const part of this.#parts) part.to(this.#t, this.#trace.records[this.#t - 1]);
    found("#moment").textContent = lanes.described(this.#t);
    this.#see();
  }

  #see() {
    const seen = this.#codes.findLast(([at]) => at < this.#t) ?? null;
    if (seen === this.#code && seen) return;
    this.#code = seen;
    if (seen) this.#preview.show(seen[1], seen[2]);
    else this.#preview.clear("No page yet");
  }

  // --- playing ------------------------------------------------------------------------------------------------

  play() {
    if (this.#playing) {
      this.#pause();
      return;
    }
    if (!this.#trace) return;
    const end = this.#trace.records.length;
    const from = this.#t >= end ? 0 : this.#t;
    const pace = Math.min(PER_RECORD, LONGEST_PLAY / end);
    const began = performance.now();
    found("#play").textContent = "❚❚ Pause";
    const frame = (now) => {
      const t = Math.min(end, from + Math.floor((now - began) / pace));
      if (t !== this.#t) this.to(t);
      if (t >= end) this.#pause();
      else this.#playing = requestAnimationFrame(frame);
    };
    this.to(from);
    this.#playing = requestAnimationFrame(frame);
  }

  #pause() {
    cancelAnimationFrame(this.#playing);
    this.#playing = 0;
    found("#play").textContent = "▶ Play";
  }
}
