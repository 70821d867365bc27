// What the user has asked and what the model has answered, read from the bodies of requests and responses. The members
// of the API formats differ, so one reader serves them all; whatever it does not know, it passes over.

import { bodyText } from "./data.js";
import { parsed } from "./json.js";

// The last text of a user in a request's body: a case begins with it.
export function promptOf(body) {
  const { messages, contents, input } = object(parsed(bodyText(body).text));
  if (typeof input === "string") return input;
  const users = list(messages ?? contents ?? input).filter((each) => object(each).role === "user");
  return users.map(({ content, parts }) => texts(content ?? parts)).findLast(Boolean) ?? "";
}

// What the model said in a response: {thinking, text, calls, end}; null where there is nothing of it.
export function turnOf({ status, body }) {
  if (status >= 400) return null;
  const { text } = bodyText(body);
  const whole = parsed(text);
  const turn = new Turn();
  if (whole === undefined) for (const { data } of streamed(text)) turn.read(object(parsed(data)));
  else for (const each of Array.isArray(whole) ? whole : [whole]) turn.read(object(each));
  return turn.said ? turn : null;
}

class Turn {
  thinking = "";
  text = "";
  end = "";
  #calls = new Map(); // key -> {name, arguments}

  get calls() {
    return [...this.#calls.values()];
  }

  get said() {
    return Boolean(this.thinking || this.text || this.#calls.size || this.end);
  }

  read(chunk) {
    if (chunk.choices) this.#chat(object(list(chunk.choices)[0]));
    else if (chunk.candidates) this.#gemini(object(list(chunk.candidates)[0]));
    else if (chunk.object === "response") this.#whole(chunk);
    else if (string(chunk.type).startsWith("response.")) this.#responses(chunk);
    else this.#anthropic(chunk);
  }

  #add(kind, piece) {
    this[kind] += string(piece);
  }

  #call(key, name, input) {
    const call = this.#calls.get(key) ?? { name: "", arguments: "" };
    call.name += string(name);
    if (input !== undefined && input !== null) call.arguments += typeof input === "string" ? input : JSON.stringify(input);
    this.#calls.set(key, call);
  }

  #chat({ delta, message, finish_reason: end }) {
    const { content, reasoning_content: thinking, refusal, tool_calls: calls } = object(delta ?? message);
    this.#add("thinking", thinking);
    this.#add("text", typeof content === "string" ? content : texts(content));
    this.#add("text", refusal);
    for (const [number, each] of list(calls).entries()) {
      const { index, function: called } = object(each);
      this.#call(index ?? number, object(called).name, object(called).arguments);
    }
    this.end = string(end) || this.end;
  }

  #gemini({ content, finishReason: end }) {
    for (const { text, thought, functionCall: call } of list(object(content).parts).map(object)) {
      this.#add(thought ? "thinking" : "text", text);
      if (call) this.#call(this.#calls.size, object(call).name, object(call).args);
    }
    this.end = string(end) || this.end;
  }

  #anthropic({ type, index, content_block: block, delta, content, stop_reason: end }) {
    if (type === "content_block_start") this.#block(object(block), index, true);
    const { text, thinking, partial_json: piece, stop_reason: later } = object(delta);
    this.#add("text", text);
    this.#add("thinking", thinking);
    if (piece !== undefined) this.#call(index, "", piece);
    for (const [number, each] of list(content).entries()) this.#block(object(each), number, false);
    this.end = string(later) || string(end) || this.end;
  }

  #block({ type, text, thinking, name, input }, index, begins) {
    this.#add("text", text);
    this.#add("thinking", thinking);
    if (type === "tool_use") this.#call(index, name, begins ? "" : input); // while it streams, its input follows
  }

  #responses({ type, delta, item, output_index: index, response }) {
    if (type === "response.output_text.delta" || type === "response.refusal.delta") this.#add("text", delta);
    else if (/^response\.reasoning\w*\.delta$/.test(type)) this.#add("thinking", delta);
    else if (type === "response.function_call_arguments.delta") this.#call(index, "", delta);
    else if (type === "response.output_item.added" && object(item).type === "function_call") this.#call(index, item.name, "");
    else if (/^response\.(completed|incomplete|failed)$/.test(type)) this.#ended(object(response));
  }

  #whole(response) {
    for (const [index, each] of list(response.output).map(object).entries()) {
      if (each.type === "function_call") this.#call(index, each.name, each.arguments);
      else this.#add(each.type === "reasoning" ? "thinking" : "text", texts(each.content ?? each.summary));
    }
    this.#ended(response);
  }

  #ended({ status, incomplete_details: why }) {
    this.end = [string(status), string(object(why).reason)].filter(Boolean).join(": ");
  }
}

// The events of a stream: {raw, name, data}.
export function streamed(text) {
  return (text.match(/[^]+?(?:\r\n\r\n|\n\n|\r\r|$)/g) ?? []).map((raw) => {
    const fields = raw.split(/\r\n|\n|\r/).map((line) => /^(\w*):? ?(.*)$/.exec(line) ?? ["", "", line]);
    const all = (wanted) => fields.filter(([, name]) => name === wanted).map(([, , value]) => value).join("\n");
    return { raw, name: all("event"), data: all("data") || raw.trim() };
  });
}

function texts(content) {
  if (typeof content === "string") return content;
  return list(content).map((part) => string(object(part).text)).filter(Boolean).join("\n");
}

function object(value) {
  return value !== null && typeof value === "object" ? value : {};
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function string(value) {
  return typeof value === "string" ? value : "";
}
