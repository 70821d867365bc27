// One axis for everything that happened, in the order in which it did: turns, exchanges with the bytes that had arrived,
// thinking, text, tools, code. A slider beneath; a press anywhere moves it.

import { bytes, drawn, made, visible } from "./dom.js";

export class Lanes {
  #records;
  #line = made("div", "playhead");
  #slider = made("input");

  // `move` is called with the number of records that the reader wants to have happened.
  constructor(into, trace, findings, move) {
    this.#records = trace.records;
    const tracks = made("div", "tracks", ...this.#rows(trace, findings));
    const over = made("div", "over", this.#line);
    this.#slider.type = "range";
    this.#slider.min = 1; // the header of the file
    this.#slider.max = trace.records.length + 1;
    this.#slider.ariaLabel = "Trace line";
    this.#slider.addEventListener("input", () => move(Number(this.#slider.value) - 1));
    tracks.append(over);
    into.replaceChildren(tracks, made("div", "slide", made("span"), this.#slider), legend(tracks));
    this.#draggable(tracks, over, move);
  }

  to(t) {
    this.#slider.value = t + 1;
    this.#slider.ariaValueText = this.described(t);
    this.#line.style.left = this.#share(t);
  }

  // The last of the first `t` records in words, with its line in the trace file, whose first line is a header.
  described(t) {
    const record = this.#records[t - 1];
    const count = `trace line ${t + 1} of ${this.#records.length + 1}`;
    if (!record) return `${count} · nothing has happened yet`;
    const when = record.told?.at ?? record.at;
    const clock = when ? ` · ${(when * 1000).toFixed(1)} ms` : "";
    if (record.record === "request") return `${count} · request ${record.exchange + 1}${clock}`;
    if (record.record === "response") return `${count} · response ${record.exchange + 1} ended: ${record.status}${clock}`;
    return `${count} · ${visible(record.event)}, ${bytes(record.told?.offset ?? 0)} delivered${clock}`;
  }

  #draggable(tracks, over, move) {
    const at = (event) => {
      const box = over.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      move(Math.round(share * this.#records.length));
    };
    tracks.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.target.closest("button")) return;
      tracks.setPointerCapture(event.pointerId);
      at(event);
    });
    tracks.addEventListener("pointermove", (event) => {
      if (tracks.hasPointerCapture(event.pointerId)) at(event);
    });
  }

  #share(t) {
    return `${(t / Math.max(1, this.#records.length)) * 100}%`;
  }

  #rows(trace, findings) {
    const { records } = trace;
    const indexes = (test) => records.flatMap((record, at) => (test(record) ? [at] : []));
    const rows = [
      ["turns", turns(records).map((span) => this.#span(span, "turn"))],
      ["exchanges", [this.#arriving(trace), ...trace.exchanges.map((each, number) => this.#exchange(each, number))]],
      ["thinking", this.#ticks(indexes(({ event }) => event === "thinking"), "thinking")],
      ["text", this.#ticks(indexes(({ event }) => event === "assistant"), "assistant")],
      ["tools", this.#tools(records)],
      ["code", [
        ...this.#ticks(indexes(({ event, preview }) => event === "setCode" && preview), "preview"),
        ...this.#ticks(indexes(({ event, preview }) => event === "setCode" && !preview), "set"),
      ]],
      ["end", records.flatMap((record, at) => this.#end(record, at))],
      ["findings", findings.filter(({ at }) => at !== null).map((each) => this.#flag(each))],
    ];
    return rows.filter(([, marks]) => marks.length).map(([name, marks]) =>
      made("div", `lane ${name}`, made("span", "lane-name", name), made("div", "track", ...marks)));
  }

  #span({ from, to, label, kind = "" }, name) {
    const span = made("div", `span ${name} ${kind}`, made("span", "", visible(label)));
    span.style.left = this.#share(from);
    span.style.width = `calc(${this.#share(to - from)} - 1px)`;
    span.title = visible(label);
    return span;
  }

  #ticks(indexes, name) {
    if (!indexes.length) return [];
    const width = Math.max(1, this.#records.length);
    const path = drawn("path", { class: name, d: indexes.map((at) => `M${at + 0.5} 0V1`).join("") });
    return [drawn("svg", { viewBox: `0 0 ${width} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, path)];
  }

  #exchange({ request, response, requestAt, responseAt }, number) {
    const status = response?.status ?? "no answer";
    const kind = !response || response.status >= 400 || response.end === "cut" || response.end === "reset" ? "bad" : "";
    const ended = response && response.end !== "eof" ? `, ${response.end}` : "";
    const label = `${number + 1} · ${status}${ended}`;
    return this.#span({ from: requestAt, to: (responseAt ?? this.#records.length - 1) + 1, label, kind }, "exchange");
  }

  // How much of the current response had arrived, as a line that rises with every exchange.
  #arriving({ records, exchanges }) {
    const whole = new Map(exchanges.map(({ request, response }) => [request.exchange, size(response)]));
    let height = 0;
    const points = records.map((record, at) => {
      if (record.record === "request") height = 0;
      else if (record.record === "response") height = 1;
      else if (record.told?.exchange !== null) height = (record.told?.offset ?? 0) / Math.max(1, whole.get(record.told?.exchange) ?? 1);
      return `L${at + 1} ${1 - Math.min(1, height)}`;
    });
    const path = drawn("path", { class: "arriving", d: `M0 1${points.join("")}V1Z` });
    return drawn("svg", { viewBox: `0 0 ${Math.max(1, records.length)} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, path);
  }

  // Calls that overlap lie beneath each other.
  #tools(records) {
    const levels = [];
    const spans = calls(records).map((call) => {
      let level = levels.findIndex((end) => end <= call.from);
      if (level < 0) level = levels.length;
      levels[level] = call.to;
      const span = this.#span(call, "tool");
      span.style.setProperty("--level", level);
      return span;
    });
    if (spans.length) spans[0].style.setProperty("--levels", levels.length);
    return spans;
  }

  #end(record, at) {
    if (record.event !== "final" && record.event !== "error") return [];
    const mark = made("div", `mark ${record.event}`, made("span", "", visible(record.event === "final" ? record.outcome : record.kind)));
    mark.style.left = this.#share(at + 0.5);
    if (at > this.#records.length / 2) mark.classList.add("leftwards");
    return [mark];
  }

  #flag(each) {
    const flag = made("div", `flag ${each.known ? "xfail" : "fail"}`);
    flag.style.left = this.#share(each.at - 1.5);
    flag.title = visible(`${each.id}, trace line ${each.at}`);
    return flag;
  }
}

const LEGEND = [
  [".lane.exchanges", "arriving", "share of the response that had arrived"],
  [".lane.exchanges", "begins", "a request begins"],
  [".span.bad", "refused", "refused, or cut off"],
  [".span.tool.ok", "ran", "tool returned"],
  [".span.tool.failed", "raised", "tool failed"],
  [".span.tool.running", "open", "no tool result"],
  ["path.preview", "preview", "code so far"],
  ["path.set", "set", "code set"],
  [".lane.findings", "found", "finding"],
];

// What the marks mean, of those that there are.
function legend(tracks) {
  const shown = LEGEND.filter(([selector]) => tracks.querySelector(selector));
  return made("ul", "legend", ...shown.map(([, kind, words]) => made("li", "", made("i", kind), ` ${words}`)));
}

function size(response) {
  return response ? response.chunks.reduce((sum, length) => sum + length, 0) : 0;
}

function turns(records) {
  const starts = records.flatMap((record, at) => (record.event === "turnStart" ? [at] : []));
  return starts.map((from, number) => ({
    from,
    to: starts[number + 1] ?? records.length,
    label: `turn ${records[from].turn}`,
  }));
}

// From the start of every call to its result, or to the end of the trace.
function calls(records) {
  const all = [];
  const open = new Map();
  records.forEach((record, at) => {
    if (record.event === "toolStart") {
      const call = { from: at, to: records.length, label: record.name, kind: "running" };
      all.push(call);
      open.set(record.id, call);
    }
    const call = record.event === "toolResult" ? open.get(record.id) : undefined;
    if (call) {
      Object.assign(call, { to: at + 1, kind: record.ok ? "ok" : "failed" });
      open.delete(record.id);
    }
  });
  return all;
}
