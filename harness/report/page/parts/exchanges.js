// Requests and responses: headers, bodies, events of a stream, and what of them had been delivered.

import { bytes, counted, button, found, made, said, say, visible } from "./dom.js";
import { bodyText } from "./data.js";
import { parsed, pretty } from "./json.js";
import { streamed } from "./turns.js";

const MOST_EVENTS = 200;

export class Exchanges {
  #list = [];

  // `places` are the violated places in requests, by the number of the exchange.
  constructor(trace, places) {
    this.#list = trace.exchanges.map((each, number) => new Exchange(each, number, places.get(number) ?? []));
    found("#exchanges .body").replaceChildren(...this.#list.map(({ element }) => element));
    if (!this.#list.length) found("#exchanges .body").append(made("p", "quiet", "The loop sent no request."));
  }

  // `record` is the last that has happened.
  to(t, record) {
    for (const each of this.#list) each.to(t, record);
  }
}

class Exchange {
  #facts;
  #places;
  #filled = false;
  #response = null;

  constructor(facts, number, places) {
    this.#facts = facts;
    this.#places = places;
    const { request, response } = facts;
    const status = made("span", `chip ${response && response.status < 400 ? "ok" : "bad"}`, String(response?.status ?? "no answer"));
    const end = response && response.end !== "eof" ? [made("span", "chip bad", response.end)] : [];
    const sizes = made("span", "quiet", `${bytes(length(request.body))} → ${bytes(response ? length(response.body) : 0)}`);
    const marks = places.length ? [made("span", "chip bad", counted(places.length, "finding"))] : [];
    const title = made("b", "", `${number + 1}`);
    this.element = made("details", "exchange card", made("summary", "", title, " ", said(`${request.method} ${request.path}`, "code", "", 300),
      " ", status, ...end, ...marks, " ", sizes));
    this.element.addEventListener("toggle", () => this.#fill());
  }

  to(t, record) {
    const { requestAt, responseAt } = this.#facts;
    this.element.classList.toggle("current", requestAt < t && t <= (responseAt ?? Infinity) + 1);
    this.element.classList.toggle("ahead", requestAt >= t);
    const over = responseAt !== undefined && responseAt < t;
    const offset = record?.told?.exchange === this.#facts.request.exchange ? record.told.offset : 0;
    this.#delivered = over ? Infinity : offset;
    this.#response?.to(this.#delivered);
  }

  #delivered = Infinity;

  #fill() {
    if (!this.element.open || this.#filled) return;
    this.#filled = true;
    const { request, response } = this.#facts;
    const asked = made("div", "side", made("h3", "", "Request"), headers(request.headers), document_(request.body, this.#places));
    const answered = made("div", "side", made("h3", "", "Response"));
    if (response) {
      this.#response = new Response_(response);
      answered.append(headers(response.headers), this.#response.element);
      this.#response.to(this.#delivered);
    } else {
      answered.append(made("p", "quiet", "The request was not answered."));
    }
    this.element.append(made("div", "sides", asked, answered));
  }
}

function length({ text, base64 }) {
  return text !== undefined ? new TextEncoder().encode(text).length : Math.floor((base64.length * 3) / 4);
}

function headers(all) {
  const rows = Object.entries(all).map(([name, value]) => [made("dt", "", visible(name)), said(value, "dd", "", 500)]);
  return made("details", "headers", made("summary", "", counted(rows.length, "header")), made("dl", "", ...rows.flat()));
}

// A body, pretty if it is JSON, as it came for who wants that.
function document_(body, places = []) {
  const { text, whole } = bodyText(body);
  const value = parsed(text);
  const box = made("div", "document");
  if (!whole) box.append(made("p", "quiet", "Its bytes are no UTF-8; what could not be read is shown as \ufffd."));
  if (value === undefined || value === null || typeof value !== "object") {
    box.append(text ? said(text, "pre") : made("p", "quiet", "No body."));
    return box;
  }
  let raw = false;
  const toggle = button("As sent", () => {
    raw = !raw;
    toggle.textContent = raw ? "Indented" : "As sent";
    box.replaceChildren(toggle, raw ? said(text, "pre") : pretty(value, places));
  }, "more raw");
  box.append(toggle, pretty(value, places));
  return box;
}

// The events of a stream, each with the byte at which it ends; a body that is no stream is a document.
class Response_ {
  #rows = [];

  constructor({ body }) {
    const { text, whole } = bodyText(body);
    const events = whole && /^(?:data|event|id|retry|:)/m.test(text.slice(0, 200)) ? streamed(text) : [];
    this.element = events.length ? made("div", "stream") : document_(body);
    this.#add(events, 0);
  }

  #add(events, from) {
    const encoder = new TextEncoder();
    let end = this.#rows.at(-1)?.end ?? 0;
    for (const [number, { raw, name, data }] of events.slice(from, from + MOST_EVENTS).entries()) {
      end += encoder.encode(raw).length;
      const element = row(from + number + 1, name, data);
      this.#rows.push({ element, end });
      this.element.append(element);
    }
    const left = events.length - from - MOST_EVENTS;
    if (left > 0) {
      const more = button(`Show ${counted(left, "more event", "more events")}`, () => {
        more.remove();
        this.#add(events, from + MOST_EVENTS);
      }, "more");
      this.element.append(more);
    }
    this.to(this.#offset);
  }

  #offset = Infinity;

  to(offset) {
    this.#offset = offset;
    for (const { element, end } of this.#rows) element.classList.toggle("ahead", end > offset);
  }
}

function row(number, name, data) {
  const line = made("summary", "", made("span", "quiet number", String(number)), " ", ...(name ? [made("b", "", visible(name)), " "] : []));
  line.append(made("code", "", visible(data.slice(0, 400).replace(`"type":"${name}",`, "")))); // the rest is out of sight
  const element = made("details", "event", line);
  element.addEventListener("toggle", () => {
    if (element.childElementCount > 1) return;
    const value = parsed(data);
    element.append(value !== null && typeof value === "object" ? pretty(value) : said(data, "pre"));
  });
  return element;
}
