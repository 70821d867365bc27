// JSON as people read it: indented, coloured, its long strings and its long middle folded, one place of it marked.

import { button, counted, made, say, visible } from "./dom.js";

const LONG = 300; // characters of a string
const HEAD = 120; // lines that are shown of a long document
const DEEP = 100; // levels that are indented
const AROUND = 40; // lines that are shown before and after the mark

// The steps to a place as wires write it: messages.2.content.0, input[3], tools[0].function.name
function steps(place) {
  return place.split(/[.[\]]+/).filter(Boolean);
}

// As far of the way as the document has it; null where it has not even the first step.
export function reached(value, place) {
  const way = [];
  for (const step of steps(place)) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, step)) break;
    value = value[step];
    way.push(step);
  }
  return way.length ? way : null;
}

// Lines of {depth, parts, marked}; a part is [class, text]. `ways` lead from here to what is marked.
function* lines(value, ways, depth = 0, lead = [], tail = "", marked = false) {
  marked ||= ways.some((way) => way.length === 0);
  const end = tail ? [["", tail]] : [];
  if (value === null || typeof value !== "object" || depth > DEEP) {
    yield { depth, marked, parts: [...lead, [typeof value === "string" ? "string" : "atom", JSON.stringify(value)], ...end] };
    return;
  }
  const list = Array.isArray(value);
  const entries = list ? value.map((item, index) => [String(index), item]) : Object.entries(value);
  const [open, close] = list ? "[]" : "{}";
  if (!entries.length) {
    yield { depth, marked, parts: [...lead, ["", open + close], ...end] };
    return;
  }
  yield { depth, marked, parts: [...lead, ["", open]] };
  for (const [index, [key, item]] of entries.entries()) {
    const name = list ? [] : [["key", JSON.stringify(key)], ["", ": "]];
    const on = ways.filter(([step]) => step === key).map((way) => way.slice(1));
    yield* lines(item, on, depth + 1, name, index < entries.length - 1 ? "," : "", marked);
  }
  yield { depth, marked, parts: [["", close], ...end] };
}

function written({ depth, parts, marked }) {
  const line = made("span", marked ? "line marked" : "line", "  ".repeat(depth));
  for (const [kind, text] of parts) {
    const part = made("span", kind);
    if (text.length > LONG) say(part, text, LONG);
    else part.textContent = visible(text);
    line.append(part);
  }
  return line;
}

// Lines from..to, behind a button as long as nobody asks for them.
function folded(all, from, to) {
  const gap = button(`… ${counted(to - from, "line")}`, () => {
    const step = Math.min(to, from + 2000);
    gap.replaceWith(...all.slice(from, step).map(written), ...(step < to ? [folded(all, step, to)] : []));
  }, "more gap");
  return gap;
}

// From..to of the lines that are not folded: the head, and what lies around the marks. With `near`, nothing else.
function unfolded(all, near) {
  const around = near ? 4 : AROUND;
  const ranges = [];
  for (let first = 0; first < all.length; first += 1) {
    if (!all[first].marked) continue;
    let last = first;
    while (all[last + 1]?.marked) last += 1;
    ranges.push([first - around, Math.min(last, first + HEAD) + 1 + around]);
    first = last;
  }
  return near && ranges.length ? ranges : [[0, HEAD], ...ranges];
}

// The document in a <pre>. `places` are marked, as far as they are found; with `near`, only what is around them is shown.
export function pretty(value, places = [], near = false) {
  const all = [...lines(value, places.map((place) => reached(value, place)).filter(Boolean))];
  const block = made("pre", "json");
  let done = 0;
  for (const [from, to] of unfolded(all, near)) {
    const begin = Math.max(from, done);
    const end = Math.min(to, all.length);
    if (begin - done > 3) block.append(folded(all, done, begin));
    else block.append(...all.slice(done, begin).map(written));
    if (end > begin) block.append(...all.slice(begin, end).map(written));
    done = Math.max(done, end, begin);
  }
  if (done < all.length) block.append(folded(all, done, all.length));
  return block;
}

// The value of a text, if it is JSON; undefined where it is none, or is nested too deeply to be shown as such.
export function parsed(text) {
  try {
    const value = JSON.parse(text);
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}
