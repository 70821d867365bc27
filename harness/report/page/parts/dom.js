// Elements and texts. What a model, a loop or a file has said becomes text here, and never markup.

const MOST = 4000; // characters of a text that are shown before somebody asks for all
const PIECE = 20_000;

// What has no look of its own, or turns the direction of writing, is shown as an escape. A line feed and a tab stay.
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

export function visible(text) {
  return text.replace(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function found(selector, within = document) {
  return within.querySelector(selector);
}

// An element of a class with children; texts among them are set as texts.
export function made(tag, name = "", ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

export function button(label, act, name = "") {
  const element = made("button", name, label);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

export function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function link(address, name, ...children) {
  const element = made("a", name, ...children);
  element.href = address;
  return element;
}

// A text from somebody else, of which the beginning is shown if it is long.
export function said(text, tag = "span", name = "", most = MOST) {
  const element = made(tag, name);
  say(element, text, most);
  return element;
}

export function say(element, text, most = MOST) {
  if (text.length <= most) {
    element.replaceChildren(...pieces(text));
    return;
  }
  const all = button(`Show all ${counted(text.length, "character")}`, () => say(element, text, Infinity), "more");
  element.replaceChildren(`${visible(text.slice(0, most))}… `, all);
}

// A very long text in blocks of which only those in sight are laid out: else the page would stand still for seconds.
function pieces(text) {
  if (text.length <= PIECE) return [visible(text)];
  const blocks = [];
  for (let from = 0; from < text.length;) {
    const line = text.lastIndexOf("\n", from + PIECE - 1);
    const to = line >= from ? line + 1 : from + PIECE;
    blocks.push(made("span", "piece", visible(text.slice(from, to))));
    from = to;
  }
  return blocks;
}

// What a table has under a name that somebody else chose: a name like `constructor` is none of its own.
export function entry(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function counted(number, noun, many = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : many}`;
}

export function seconds(value) {
  if (value >= 100) return `${value.toFixed(0)} s`;
  if (value >= 1) return `${value.toFixed(1)} s`;
  return `${(value * 1000).toFixed(value >= 0.01 ? 0 : 1)} ms`;
}

export function bytes(value) {
  if (value < 1000) return `${value} B`;
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`;
}

// A command, a path: something that people take with them. `short` is shown in its place; all of it is in the title.
export function copyable(text, short = text) {
  const code = said(short, "code");
  if (short !== text) code.title = visible(text);
  return made("div", "copyable", code, copying("Copy", () => text));
}

// A button that copies what `text` returns.
export function copying(label, text, name = "") {
  const copy = button(label, async () => {
    copy.textContent = (await copied(text())) ? "Copied" : "Not copied";
    setTimeout(() => { copy.textContent = label; }, 1500);
  }, name);
  return copy;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // a browser that gives no clipboard to pages from a disk
    const field = made("textarea", "aside");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
