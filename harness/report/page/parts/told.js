// The conversation after so many records: the prompt, the model's turns, and the events that the loop emitted.

import { counted, found, made, said, say, visible } from "./dom.js";
import { promptOf, turnOf } from "./turns.js";

// Pieces of text of one kind and id that follow each other are one item, which grows.
class Growing {
  #ends = []; // [record, length of the text with it]
  #text = "";
  #shown = -1;

  constructor(kind, id, at) {
    Object.assign(this, { kind, id, at });
    this.element = made("div", `item ${kind}`, made("span", "who", kind === "thinking" ? "Thinking" : "Assistant"));
    this.body = made("p", "text");
    this.element.append(this.body);
  }

  add(text, at) {
    this.#text += text;
    this.#ends.push([at, this.#text.length]);
  }

  to(t) {
    const length = this.#ends.findLast(([at]) => at < t)?.[1] ?? 0;
    if (length !== this.#shown) say(this.body, this.#text.slice(0, length));
    this.#shown = length;
  }
}

class Called {
  #codes = []; // [record, characters]
  #result = null;
  #state = "";

  constructor({ id, name, input }, at) {
    Object.assign(this, { kind: "call", id, at });
    this.element = made("div", "item call");
    this.chip = made("span", "chip");
    this.size = made("p", "quiet");
    this.output = made("pre");
    const arguments_ = made("pre");
    say(arguments_, plain(input), 1000);
    this.element.append(made("div", "bar", made("b", "", visible(name)), this.chip), arguments_, this.size, this.output);
  }

  code(length, at) {
    this.#codes.push([at, length]);
  }

  result(event, at) {
    this.#result = { event, at };
  }

  get answered() {
    return this.#result !== null;
  }

  to(t) {
    const length = this.#codes.findLast(([at]) => at < t)?.[1];
    this.size.textContent = length === undefined ? "" : `${counted(length, "character")} of code`;
    const over = this.#result !== null && this.#result.at < t;
    const state = over ? ({ true: "ok", false: "failed" }[this.#result.event.ok] ?? "ended") : "running";
    if (state === this.#state) return;
    this.#state = this.element.dataset.state = this.chip.textContent = state;
    this.output.hidden = !over;
    if (over) say(this.output, plain(this.#result.event.output), 1000);
  }
}

class Fixed {
  constructor(kind, at, ...children) {
    Object.assign(this, { kind, at });
    this.element = made("div", `item ${kind}`, ...children);
  }

  to() {}
}

// What the model said in a response: one line, with all of it inside. Dimmed until the response has ended.
class Answered {
  constructor(turn, number, at, end) {
    Object.assign(this, { kind: "model", at, end });
    const line = made("summary", "", made("span", "who", `Model, response ${number + 1}`), ...brief(turn));
    this.element = made("details", "item model", line);
    this.element.addEventListener("toggle", () => {
      if (this.element.childElementCount === 1) this.element.append(...inFull(turn));
    });
  }

  to(t) {
    this.element.classList.toggle("ahead", t <= this.end);
  }
}

function brief({ thinking, text, calls, end }) {
  const parts = [
    ...(thinking ? [made("i", "", "thinking")] : []),
    ...(text ? [`“${visible(text.slice(0, 200))}”`] : []),
    ...calls.slice(0, 8).map((call) => made("code", "", visible(`${call.name}(${call.arguments.slice(0, 80)})`))),
    ...(calls.length > 8 ? [`and ${counted(calls.length - 8, "more call", "more calls")}`] : []),
    ...(end ? [made("span", "quiet", visible(`stop reason: ${end}`))] : []),
  ];
  return parts.flatMap((part) => [" ", part]);
}

function inFull({ thinking, text, calls }) {
  return [
    ...(thinking ? [made("h3", "", "Thinking"), said(thinking, "p", "text")] : []),
    ...(text ? [made("h3", "", "Text"), said(text, "p", "text")] : []),
    ...calls.flatMap((call) => [made("h3", "", "Call of ", said(call.name, "code")), said(call.arguments, "pre", "", 1000)]),
  ];
}

export class Told {
  #items = [];
  #growing = null;
  #calls = new Map(); // id -> the latest call of it

  constructor({ records, exchanges }) {
    const byRequest = new Map(exchanges.map((each, number) => [each.requestAt, [each, number]]));
    records.forEach((record, at) => {
      if (record.event) this.#tell(record, at);
      else if (byRequest.has(at)) this.#ask(...byRequest.get(at), at);
    });
    found("#feed").replaceChildren(made("p", "quiet start", "Nothing has happened yet."), ...this.#items.map(({ element }) => element));
  }

  // Show the first `t` records.
  to(t) {
    let last = null;
    for (const item of this.#items) {
      item.element.hidden = item.at >= t;
      if (item.at >= t) continue;
      item.to(t);
      last = item;
    }
    const feed = found("#feed");
    found(".start", feed).hidden = last !== null;
    feed.scrollTop = last === null ? 0 : last.element.offsetTop + last.element.offsetHeight - feed.clientHeight + 12;
  }

  #ask({ request, response, responseAt }, number, at) {
    const prompt = number === 0 ? promptOf(request.body) : "";
    if (prompt) this.#add(new Fixed("prompt", at, made("span", "who", "Prompt"), said(prompt, "p", "text")));
    const turn = response ? turnOf(response) : null;
    if (turn) this.#add(new Answered(turn, number, at, responseAt));
  }

  #tell(event, at) {
    if (event.event === "thinking" || event.event === "assistant") {
      this.#grow(event, at);
      return;
    }
    if (event.event === "setCode" && this.#calls.has(event.id)) {
      this.#calls.get(event.id).code(event.code.length, at);
      return;
    }
    if (event.event === "toolResult" && this.#calls.get(event.id)?.answered === false) {
      this.#calls.get(event.id).result(event, at);
      return;
    }
    this.#add(this.#other(event, at));
  }

  #grow({ event: kind, id, text }, at) {
    if (this.#growing?.kind !== kind || this.#growing.id !== id) this.#add(new Growing(kind, id, at));
    this.#growing = this.#items.at(-1);
    this.#growing.add(text, at);
  }

  #other(event, at) {
    if (event.event === "toolStart") {
      const call = new Called(event, at);
      this.#calls.set(event.id, call);
      return call;
    }
    if (event.event === "turnStart") return new Fixed("turn", at, `Turn ${event.turn}`);
    const texts = {
      setCode: () => ["Code", `${counted(event.code?.length ?? 0, "character")}, of no call that the loop reported`],
      toolResult: () => [`Result of ${event.name}`, plain(event.output)],
      error: () => [`Error: ${event.kind}`, event.message],
      final: () => [`End: ${event.outcome}`, event.text ?? ""],
    };
    const [title, text] = texts[event.event]?.() ?? [String(event.event), plain(event)];
    const body = made("p", "text");
    say(body, text);
    return new Fixed(event.event, at, made("span", "who", visible(title)), body);
  }

  #add(item) {
    this.#growing = null;
    this.#items.push(item);
  }
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
}
