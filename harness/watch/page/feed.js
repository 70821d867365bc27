// What the loop tells, in the order told. Everything is set as text.

function made(tag, name = "", text = "") {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

function json(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function titled(title, value) {
  return [made("p", "who", title), made("pre", "", json(value))];
}

function unfolded(summary, name) {
  const details = made("details", name);
  details.open = true;
  details.append(made("summary", "", summary));
  return details;
}

export class Feed {
  #list;
  #growing = null; // the text that the next piece may belong to: {kind, id, into, item}
  #calls = new Map(); // id of a call -> its latest card
  #pages = new Map(); // the same for code of no known call
  #shownIn = []; // number of an event -> the item that shows it
  #atEnd = true; // the reader is where the next item appears

  constructor(list) {
    this.#list = list;
    list.addEventListener("scroll", () => {
      this.#atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    });
  }

  begin(summary, prompt) {
    this.#add(made("p", "summary", summary));
    for (const { role, text } of prompt) {
      const item = made("div", `said ${role === "system" ? "system" : "user"}`);
      item.append(made("span", "who", role), made("p", "text", text));
      this.#add(item);
    }
  }

  // `number` counts the events of the run from 1.
  tell(event, number) {
    const known = Object.hasOwn(Feed.#tellers, event.event) ? Feed.#tellers[event.event] : Feed.#unknown;
    this.#shownIn[number] = known(this, event);
    this.#follow();
  }

  judge({ verdict, requests, findings, error }) {
    this.#growing = null;
    const item = made("section", `verdict ${verdict}`);
    const words = { pass: "Passed", fail: "Failed", error: "Error of the harness or the target" };
    item.append(made("h2", "", words[verdict] ?? verdict));
    const asked = `${requests} ${requests === 1 ? "request" : "requests"}`;
    item.append(made("p", "", verdict === "pass" ? `${asked}; every rule and every expectation holds.` : `${asked}.`));
    for (const each of findings) item.append(this.#finding(each));
    if (error) item.append(made("pre", "", error));
    this.#add(item);
    if (this.#atEnd) this.#startAt(item);
  }

  end() {
    this.#list.setAttribute("aria-busy", "false");
    for (const card of this.#calls.values()) {
      if (card.dataset.state === "running") this.#settle(card, "unfinished");
    }
  }

  static #tellers = {
    turnStart: (feed, { turn }) => feed.#add(made("h2", "turn", `Turn ${turn}`)),
    thinking: (feed, event) => feed.#grow(event, () => unfolded("Thinking", "thinking")),
    assistant: (feed, event) => feed.#grow(event, () => made("div", "said assistant")),
    toolStart: (feed, { id, name, input }) => feed.#call(id, name, input),
    setCode: (feed, { id, code, preview }) => feed.#code(id, code.length, preview),
    toolResult: (feed, { id, name, ok, output }) => feed.#result(id, name, ok, output),
    error: (feed, { kind, message }) => feed.#ending("error", kind, message),
    final: (feed, { outcome, text }) => feed.#ending("final", outcome, text),
  };

  static #unknown = (feed, event) => feed.#add(made("pre", "", json(event)));

  #add(item) {
    this.#growing = null;
    this.#list.append(item);
    return item;
  }

  // Pieces of one text lie next to each other; what comes between begins a new one.
  #grow({ event: kind, id, text }, begin) {
    const same = this.#growing && this.#growing.kind === kind && this.#growing.id === id;
    if (!same) {
      const item = this.#add(begin());
      const into = made("p", "text");
      item.append(into);
      this.#growing = { kind, id, into, item };
    }
    this.#growing.into.append(text);
    return this.#growing.item;
  }

  #call(id, name, input) {
    const card = made("article", "call");
    const head = made("div", "bar");
    head.append(made("h3", "", name), made("span", "chip"));
    card.append(head);
    if (input !== null) card.append(...titled("arguments", input));
    this.#settle(card, "running");
    this.#calls.set(id, card);
    return this.#add(card);
  }

  #settle(card, state) {
    card.dataset.state = state;
    card.querySelector(".chip").textContent = state;
  }

  #code(id, length, preview) {
    const card = this.#calls.get(id) ?? this.#pages.get(id) ?? this.#add(made("article", "call"));
    if (!this.#calls.has(id)) this.#pages.set(id, card);
    const line = card.querySelector(".written") ?? card.appendChild(made("p", "written"));
    line.textContent = `Page: ${length.toLocaleString("en")} characters${preview ? " so far" : ""}`;
    return card;
  }

  #result(id, name, ok, output) {
    const card = this.#calls.get(id) ?? this.#call(id, name, null);
    this.#growing = null;
    this.#settle(card, { true: "ok", false: "failed" }[ok] ?? "ended");
    if (output !== null) card.append(...titled("result", output));
    return card;
  }

  #ending(kind, word, text) {
    const item = made("div", `ending ${kind}`);
    item.append(made("strong", "", `${kind}: ${word}`));
    if (text) item.append(made("p", "text", text));
    return this.#add(item);
  }

  #finding({ name, severity, expected, got, detail, event }) {
    const item = made("article", "finding");
    const head = made("div", "bar");
    head.append(made("h3", "", name), made("span", "chip", severity));
    const facts = made("dl");
    for (const [name, text] of [["expected", expected], ["got", got], ["evidence", detail]]) {
      if (text) facts.append(made("dt", "", name), made("dd", "", text));
    }
    item.append(head, facts);
    const place = this.#shownIn[event];
    if (place) {
      const button = made("button", "", "Show where");
      button.type = "button";
      button.addEventListener("click", () => this.#point(place));
      item.append(button);
    }
    return item;
  }

  #point(place) {
    this.#list.querySelector(".pointed")?.classList.remove("pointed");
    place.classList.add("pointed");
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
  }

  // Not by scrollIntoView: chromium 150 begins there with the next Tab, and skips what is above.
  #startAt(item) {
    this.#list.scrollTop += item.getBoundingClientRect().top - this.#list.getBoundingClientRect().top;
  }

  // The end stays in view for a reader who is there; whoever has scrolled up is left alone.
  #follow() {
    if (this.#atEnd) this.#list.scrollTop = this.#list.scrollHeight;
  }
}
