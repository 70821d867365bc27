// Says whether verifyEvents of the protocol's own client refuses a stream: '-', or the beginning of its error.
import { readFileSync } from "node:fs";
import { transformChunks, verifyEvents } from "@ag-ui/client";
import { from } from "rxjs";

const text = readFileSync(process.argv[2], "utf8");
const frames = text.split("\n\n").filter((frame) => frame.startsWith("data:"));
const events = frames.map((frame) => JSON.parse(frame.slice(5)));
let verdict = "-";
from(events).pipe(transformChunks(false), verifyEvents(false)).subscribe({ error: () => { verdict = "error"; } });
console.log(verdict);
