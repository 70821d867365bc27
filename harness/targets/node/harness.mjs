// What a Node driver needs of the harness: the case comes as a line on stdin, events leave as lines on stdout, and
// tools are run by the harness over the same two pipes (docs: the command contract, version 1).

import { createInterface } from 'node:readline';

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE',
]);

/**
 * Run `loop` on the one case of this process. What it throws is told as the `error` event.
 *
 * `loop` is given the case as it came, and besides: `emit(event)`, which tells the user, and for every tool
 * `run(input, id)`, which resolves to what the tool returns and throws `ToolRaised` where it fails.
 */
export async function drive(loop) {
  const lines = createInterface({ input: process.stdin });
  const pending = new Map();
  const received = await new Promise((resolve) => {
    lines.once('line', (line) => {
      lines.on('line', (later) => settle(pending, JSON.parse(later).result));
      resolve(JSON.parse(line));
    });
  });
  try {
    await loop({ ...received, emit, tools: received.tools.map((tool) => ({ ...tool, run: runner(tool, pending) })) });
  } catch (error) {
    emit(failureOf(error));
  } finally {
    lines.close();
    process.stdin.destroy(); // or the process would wait for the harness to say more
  }
}

/** The tool failed, as the scenario wants it. The message is what the model should get. */
export class ToolRaised extends Error {
  name = 'ToolRaised';
}

/** Tell one event, as in the lines of a trace: `{event: 'assistant', text: 'Hello', id: 'turn-1'}`. */
function emit(event) {
  write(event);
}

/** What `error` says of a run, as an `error` event of kind `http` (a status of 400 or more), `stream` or `raised`. */
export function failureOf(error) {
  return { event: 'error', kind: kindOf(error), message: `${error?.name ?? 'Error'}: ${error?.message ?? error}` };
}

function kindOf(error) {
  for (const each of causes(error)) {
    const status = each.status ?? each.statusCode;
    if (status >= 400) return 'http';
    if (typeof status === 'number' || CONNECTION_ERRORS.has(each.code)) return 'stream';
  }
  return 'raised';
}

function* causes(error) {
  for (const seen = new Set(); error instanceof Error && !seen.has(error); error = error.cause ?? error.lastError) {
    seen.add(error);
    yield error;
  }
}

function runner(tool, pending) {
  return (input, id) =>
    new Promise((resolve, reject) => {
      const key = `${pending.size + 1}`;
      pending.set(key, { resolve, reject });
      write({ call: { key, name: tool.name, arguments: input, id } });
    });
}

function settle(pending, { key, ok, output }) {
  const { resolve, reject } = pending.get(key);
  if (ok) resolve(output);
  else reject(new ToolRaised(output));
}

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
