// aimock with the turns of a file, on a free loopback port, which it prints: node aimock.mjs TURNS.json
// TURNS.json: [{"calls": [{"name", "arguments"}]} or {"text"}, ...]; its deltas have as many characters as ours.
import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const { turns, delta } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: delta, logLevel: "silent", strict: true });
turns.forEach(({ calls, text }, turnIndex) => mock.on({ turnIndex }, calls ? { toolCalls: calls } : { content: text }));
await mock.start();
console.log(mock.url);
