// The live view: reads the messages of one run from the socket and hands each to the part of the page that shows it.
// What a message says is the output of a model or of a loop under test: hostile until shown otherwise. It becomes
// text and never markup, but for the page in the preview, which preview.js locks up.

import { Feed } from "./feed.js";
import { Preview } from "./preview.js";

const ENDINGS = new Map([
  ["completed", "Completed"],
  ["truncated", "Truncated"],
  ["refused", "Refused"],
  ["turn-limit", "Ended at the turn limit"],
  ["deferred", "Waiting for somebody's word"],
]);

const feed = new Feed(document.getElementById("feed"));
const preview = new Preview(document.getElementById("page"));
let told = 0;
let ended = false;

function state(kind, text) {
  const line = document.getElementById("state");
  line.dataset.state = kind;
  line.textContent = text;
}

function begin({ case: facts, summary, prompt }) {
  document.title = `${facts.scenario} · harness watch`;
  document.getElementById("scenario").textContent = facts.scenario;
  const limit = facts.turn_limit === null ? [] : [`at most ${facts.turn_limit} turns`];
  document.getElementById("facts").textContent = [facts.wire, facts.target, facts.profile, ...limit].join(" · ");
  feed.begin(summary, prompt);
  state("running", "Running");
}

function tell(event) {
  told += 1;
  feed.tell(event, told);
  if (event.event === "turnStart") state("running", `Turn ${event.turn}`);
  if (event.event === "setCode") preview.show(event.code, event.preview ? "preview" : "result");
  if (event.event === "error") state("failed", "Failed");
  if (event.event === "final") {
    state("running", ENDINGS.get(event.outcome) ?? event.outcome);
    if (event.code) preview.show(event.code, "final");
  }
}

function judge(result) {
  ended = true;
  feed.judge(result);
  const findings = result.findings.length;
  if (result.verdict === "pass") state("passed", "Passed");
  else if (result.verdict === "fail") state("failed", `${findings} ${findings === 1 ? "finding" : "findings"}`);
  else state("failed", "Error");
}

function receive(text) {
  const message = JSON.parse(text);
  if ("case" in message) begin(message);
  else if ("event" in message) tell(message);
  else if ("verdict" in message) judge(message);
}

const socket = new WebSocket(`ws://${location.host}/events`);
socket.addEventListener("message", ({ data }) => receive(data));
socket.addEventListener("close", () => {
  feed.end();
  preview.end();
  if (!ended) state("failed", "Connection lost");
});
document.getElementById("again").addEventListener("click", () => location.reload());
