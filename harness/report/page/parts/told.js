// What the user of the loop has been told after so many records: the replay of a trace's events.

import { counted, found, made, say, visible } from "./dom.js";

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
    const state = over ? (this.#result.event.ok ? "ok" : "failed") : "running";
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

export class Told {
  #items = [];
  #growing = null;
  #calls = new Map(); // id -> the latest call of it

  constructor(records) {
    records.forEach((record, at) => {
      if (record.event) this.#tell(record, at);
    });
    found("#told").replaceChildren(made("p", "quiet start", "Nothing has been told yet."), ...this.#items.map(({ element }) => element));
  }

  // Show what was told in the first `t` records.
  to(t) {
    let last = null;
    for (const item of this.#items) {
      item.element.hidden = item.at >= t;
      if (item.at >= t) continue;
      item.to(t);
      last = item;
    }
    const feed = found("#told");
    found(".start", feed).hidden = last !== null;
    feed.scrollTop = last === null ? 0 : last.element.offsetTop + last.element.offsetHeight - feed.clientHeight + 12;
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
      setCode: () => ["Code", `${counted(event.code?.length ?? 0, "character")}, of no call that was told`],
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
