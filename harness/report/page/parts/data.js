// What the page holds, and what it loads: the runs with their cases, the traces.

import { entry, found, made } from "./dom.js";

// Only the scripts beside the traces may be loaded, from the folders of the runs that the page was made of.
const addresses = (globalThis.trustedTypes ?? { createPolicy: (_, rules) => rules }).createPolicy("traces", {
  createScriptURL: (address) => {
    if (!/^[^:?#]+\.js$/.test(address) || address.startsWith("//")) throw new TypeError("no script of a trace");
    return address;
  },
});

async function unpacked(text) {
  const data = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

export async function readData() {
  const data = JSON.parse(await unpacked(found("#data").textContent));
  data.runs.forEach((run, number) => {
    for (const each of run.cases) {
      complete(each, run, number);
      each.label = entry(data.labels, each.wire) ?? each.wire;
    }
    run.causes.forEach((cause, at) => {
      cause.number = at + 1;
      for (const [member] of cause.members) run.cases[member].causes.push(cause.id);
    });
    if (number === 0) for (const each of run.cases) each.changes = data.against?.changes[each.id] ?? [];
  });
  return data;
}

// What was left out because it can be derived or is as usual.
function complete(each, run, number) {
  each.run = number;
  each.changes = [];
  each.causes = [];
  each.target = run.target;
  each.id ??= `${each.scenario}.${each.wire}.${each.chunking}`;
  if (each.trace === undefined) each.trace = `traces/${each.id}.jsonl`;
  each.source ??= "script";
  each.seed ??= run.seed;
  each.findings ??= [];
  for (const finding of each.findings) finding.id = finding.reference ?? finding.rule; // ANT-15, or our own rule
  each.rules = [...new Set(each.findings.map(({ id }) => id))];
  each.folder = run.folder;
  each.shortFile = each.file && shortened(each.file, run.shipped);
  each.summary = entry(run.summaries, each.scenario) ?? "";
}

const ABSOLUTE = /(^|[\s'"=])(?:[A-Za-z]:)?[\\/](?:[^\s\\/'"]+[\\/])+([^\s\\/'"]+[\\/][^\s\\/'"]+)/g;

// A text in which absolute paths show their end only; a scenario in the folder `shipped` shows its name.
export function shortened(text, shipped = "") {
  if (shipped && text.startsWith(`${shipped}/`)) return `shipped: ${text.slice(text.lastIndexOf("/") + 1)}`;
  return text.replace(ABSOLUTE, "$1…/$2");
}

// --- traces ---------------------------------------------------------------------------------------------------

const kept = new Map(); // address -> promise of a trace; the last few
const MOST_KEPT = 8;
let hand = null; // takes what the script that is running hands over

globalThis.harnessTrace = (text) => hand?.(text);

// The address of a file in the folder of a case's run.
function beside(each, name) {
  return `${each.folder}/${name}`.split("/").map(encodeURIComponent).join("/");
}

// Where the trace file of a case is, for a link; null where there is none.
export function traceAddress(each) {
  const address = each.trace === null ? "" : beside(each, each.trace.toWellFormed());
  return address.endsWith(".jsonl") && !address.startsWith("/") ? address : null;
}

export function traceOf(each) {
  if (each.trace === null) return Promise.reject(new Error("There is no trace of this case."));
  const address = beside(each, `${each.trace.replace(/\.jsonl$/, "")}.js`);
  if (!kept.has(address)) {
    kept.set(address, loaded(address).then(unpacked).then(readTrace));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  }
  return kept.get(address);
}

let queue = Promise.resolve(); // one script at a time, so that none can speak for another

function loaded(address) {
  const load = () => new Promise((resolve, reject) => {
    const script = made("script");
    hand = resolve;
    script.onload = () => { script.remove(); reject(new Error(`${address} contains no trace.`)); };
    script.onerror = () => {
      script.remove();
      kept.delete(address);
      reject(new Error(`${address} cannot be loaded. ‘harness report RUN --format html’ writes it again.`));
    };
    script.src = addresses.createScriptURL(address);
    document.head.append(script);
  });
  const mine = queue.then(load);
  queue = mine.catch(() => {});
  return mine;
}

// A trace as the page works with it: `records` in order, `exchanges` with their records and places.
function readTrace(text) {
  const [facts, ...records] = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const exchanges = [];
  records.forEach((record, at) => {
    if (record.record === "request") exchanges[record.exchange] = { request: record, requestAt: at };
    if (record.record === "response") Object.assign(exchanges[record.exchange], { response: record, responseAt: at });
  });
  return { facts, records, exchanges: exchanges.filter(Boolean) };
}

// A body as text, and whether its bytes are one.
export function bodyText({ text, base64 }) {
  if (text !== undefined) return { text, whole: true };
  const data = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return { text: new TextDecoder().decode(data), whole: false };
}
