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
 */
export async function serve(loop) {
  const harness = connect();
  let received = await harness.next();
  if (received === null) throw new Error("there is no case on standard input; start this with 'harness run'");
  while (received !== null) {
    await runCase(loop, received, harness);
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

async function runCase(loop, received, harness) {
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
      const { ok, output } = await harness.call({ name: tool.name, arguments: input, id });
      if (ok) return output;
      throw new ToolRaised(output);
    },
  }));

  try {
    const returned = await loop({ ...received, emit, tools });
    if (!hasEnd) emit({ event: 'final', code: '', text: typeof returned === 'string' ? returned : null });
  } catch (error) {
    console.error(error);
    emit(failureOf(error));
  }
  await new Promise(setImmediate); // a promise that nobody awaited fails in its own case
  over = true;
  if (received.persistent) harness.write({ done: received.case });
}

/** The other side of standard input and output. From now on everybody else prints on standard error. */
function connect() {
  if (process.stdin.isTTY) throw new Error("standard input is a terminal; start this with 'harness run --target ...'");
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);

  const pending = new Map(); // by keys that are those of no other case, so that a late result is that of no other call
  const cases = [];
  let key = 0;
  let wake = () => {};

  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { result, ...received } = JSON.parse(line);
    if (result === undefined) {
      cases.push(checked(received));
      wake();
    } else {
      pending.get(result.key)(result);
      pending.delete(result.key);
    }
  });
  lines.on('close', () => {
    cases.push(null);
    wake();
  });

  const write = (line) => void print(`${JSON.stringify(line)}\n`);
  return {
    write,
    async next() {
      while (!cases.length) await new Promise((resolve) => (wake = resolve));
      return cases.shift();
    },
    call(call) {
      key += 1;
      write({ call: { key, ...call } });
      return new Promise((resolve) => pending.set(key, resolve));
    },
    close() {
      lines.close();
      process.stdin.destroy(); // or the process would wait for the harness to say more
    },
  };
}

function checked(received) {
  if (received.harness === PROTOCOL) return received;
  throw new Error(`harness-client speaks version ${PROTOCOL} of the protocol, got ${received.harness}: copy a newer file`);
}

function kindOf(error) {
  for (const each of causes(error)) {
    const status = each.status ?? each.statusCode;
    if (status >= 400) return 'http';
    if ('status' in each || 'statusCode' in each || CONNECTION_ERRORS.has(each.code)) return 'stream';
  }
  return 'raised';
}

function* causes(error) {
  for (const seen = new Set(); error instanceof Error && !seen.has(error); error = error.cause ?? error.lastError) {
    seen.add(error);
    yield error;
  }
}
