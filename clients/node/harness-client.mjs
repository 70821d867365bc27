// Connects an agent loop with agent-loop-harness: the loop runs as a command on Node.
//
//   import { serve } from './harness-client.mjs';
//
//   await serve(async (task) => {
//     const client = new OpenAI({ baseURL: `${task.base_url}/v1`, apiKey: task.api_key });
//     ...
//     return 'the answer to the user';
//   });
//
// `serve` reads the case from standard input, calls the loop and reports what it returns or throws; if the target file
// declares `persistent: true`, it does so for one case after another. Standard output belongs to the protocol: what the
// loop prints goes to standard error.
//
// This file needs nothing but Node 18 or newer. Copy it beside the loop, or install agent-loop-harness-client.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PROTOCOL = 1; // the member `harness` of a case

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE',
]);

const LONGEST = 2_000;

/**
 * Run `loop` on the case, or the cases, of this process. Resolves when there is no other case.
 *
 * `loop` is given the case as it came, and besides: `emit(event)`, which reports an event at the moment at which the loop
 * reports it to its user (`{event: 'assistant', text: 'Hello', id: 'text-1'}`), and for every tool `run(input, id)`, which
 * resolves to what the tool returns and throws `ToolRaised` if the tool fails. The text that `loop` returns is its answer;
 * what it throws is reported as an `error` event.
 *
 * A case may have several runs in one conversation; each calls `loop` with the number of the `run`, from 1, and in `prompt`
 * with what the user says next. `state` is an object for what the loop needs of the runs before: the next run finds it as
 * this one leaves it, however that ends, perhaps in another process. So it must be JSON. `signal` is an `AbortSignal` that
 * aborts if the caller cancels the run; the tools that run then throw its reason, and how the run ends
 * is not judged. `onSay(callback)` has `callback` called with each text that the user says while the run goes on.
 */
export async function serve(loop) {
  const harness = connect();
  let received = await harness.next();
  if (received === null) throw new Error("there is no case on standard input; start this with 'harness run'");
  while (received !== null) {
    const run = { abort: new AbortController(), listeners: [] };
    harness.begin(run);
    await runCase(loop, received, harness, run);
    harness.begin(null);
    received = received.persistent ? await harness.next() : null;
  }
  harness.close();
}

/** The tool has failed, as the scenario wants it. The message is what the model should get. */
export class ToolRaised extends Error {
  name = 'ToolRaised';
}

/**
 * The `error` event for what was thrown: of kind `http` (a status of 400 or more), `stream` (the connection, or an error of
 * an SDK that has a place for a status and none in it) or `raised`.
 */
export function failureOf(error) {
  const message = `${error?.name ?? 'Error'}: ${error?.message ?? error}`;
  return { event: 'error', kind: kindOf(error), message: message.slice(0, LONGEST) };
}

async function runCase(loop, received, harness, { abort: { signal }, listeners }) {
  const stored = JSON.stringify(received.state);
  let over = false;
  let hasEnd = false;

  // What a case has left running must not disturb the next one: not even by an error that nobody catches.
  const isLate = (what) => {
    if (over) console.error(`harness-client: the case ${received.case} has ended; ${what} is ignored`);
    return over;
  };
  const emit = (event) => {
    if (isLate(`the event ${event.event}`)) return;
    hasEnd ||= ['error', 'final'].includes(event.event);
    harness.write(event);
  };
  const tools = received.tools.map((tool) => ({
    ...tool,
    run: async (input, id) => {
      if (isLate(`the call of ${tool.name}`)) return new Promise(() => {});
      signal.throwIfAborted();
      const { ok, output } = await harness.call({ name: tool.name, arguments: input, id }, signal);
      if (ok) return output;
      throw new ToolRaised(output);
    },
  }));

  const onSay = (callback) => void listeners.push(callback);
  const task = { state: {}, ...received, signal, onSay, emit, tools };

  try {
    let returned;
    try {
      returned = await loop(task);
    } finally {
      const line = stateLine(task.state);
      if (stored !== undefined && line !== `{"state":${stored}}`) harness.print(line); // undefined: an older harness
    }
    if (!hasEnd && !signal.aborted) {
      emit({ event: 'final', code: '', text: typeof returned === 'string' ? returned : null });
    }
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) console.error(error);
    if (!signal.aborted) emit(failureOf(error));
  }
  await new Promise(setImmediate); // a promise that nobody awaited fails in its own case
  over = true;
  if (received.persistent) harness.write({ done: received.case });
}

/** The line that stores the state. What is no JSON is an error that the harness reports. */
function stateLine(state) {
  try {
    return JSON.stringify({ state });
  } catch (error) {
    return JSON.stringify({ state: `task.state is no JSON: ${error.message}` });
  }
}

const idle = new Int32Array(new SharedArrayBuffer(4));

/** Prints all of a text before it returns: a stream would keep what does not fit into the pipe, and the loop's next
 * request would come before the event. */
function printed(text) {
  let rest = Buffer.from(text);
  while (rest.length) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(idle, 0, 0, 1); // the pipe is full
    }
  }
}

/** The other side of standard input and output. From now on everybody else prints on standard error. */
function connect() {
  if (process.stdin.isTTY) throw new Error("standard input is a terminal; start this with 'harness run --target ...'");
  process.stdout.write = process.stderr.write.bind(process.stderr);

  const pending = new Map(); // by keys that are those of no other case, so that a late result is that of no other call
  const cases = [];
  let key = 0;
  let current = null; // the run that goes on
  let wake = () => {};

  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { result, cancel, say, ...received } = JSON.parse(line);
    if (result !== undefined) {
      pending.get(result.key)?.(result); // nobody waits for it once its run is cancelled
      pending.delete(result.key);
    } else if (cancel !== undefined) {
      current?.abort.abort();
    } else if (say !== undefined) {
      for (const listener of current?.listeners ?? []) attempt(listener, say);
    } else {
      cases.push(checked(received));
      wake();
    }
  });
  lines.on('close', () => {
    cases.push(null);
    wake();
  });

  const printLine = (line) => printed(`${line}\n`);
  const write = (line) => printLine(JSON.stringify(line));
  return {
    write,
    print: printLine,
    async next() {
      while (!cases.length) await new Promise((resolve) => (wake = resolve));
      return cases.shift();
    },
    begin(run) {
      current = run;
    },
    call(call, signal) {
      const own = (key += 1);
      write({ call: { key: own, ...call } });
      const result = new Promise((resolve, reject) => {
        const aborted = () => {
          pending.delete(own);
          reject(signal.reason);
        };
        signal.addEventListener('abort', aborted, { once: true });
        pending.set(own, (came) => {
          signal.removeEventListener('abort', aborted);
          resolve(came);
        });
      });
      result.catch(() => {}); // a loop that no longer waits for it has failed in nothing
      return result;
    },
    close() {
      lines.close();
      process.stdin.destroy(); // or the process would wait for the harness to say more
    },
  };
}

/** Call what the loop has named; what it throws must not end the process. */
function attempt(callback, text) {
  try {
    callback(text);
  } catch (error) {
    console.error(error);
  }
}

function checked(received) {
  if (received.harness === PROTOCOL) return received;
  throw new Error(`harness-client speaks version ${PROTOCOL} of the protocol, got ${received.harness}: copy a newer file`);
}

function kindOf(error) {
  for (const each of causes(error)) {
    const [status] = [each.status, each.statusCode].filter((value) => Number.isInteger(value) && value >= 100);
    if (status >= 400) return 'http';
    // clients have the member without a value where no response came; others say something else in it ('NOT_FOUND')
    const isEmpty = ('status' in each || 'statusCode' in each) && (each.status ?? each.statusCode) == null;
    if (status !== undefined || isEmpty || CONNECTION_ERRORS.has(each.code)) return 'stream';
  }
  return 'raised';
}

function* causes(error) {
  for (const seen = new Set(); error instanceof Error && !seen.has(error); error = error.cause ?? error.lastError) {
    seen.add(error);
    yield error;
  }
}
