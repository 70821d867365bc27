// What a Node driver needs of the harness: the case comes as a line on stdin, events leave as lines on stdout, and
// tools are run by the harness over the same two pipes (version 1).

import { createInterface } from 'node:readline';

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE',
]);

const LONGEST = 2_000;

/**
 * Run `loop` on the one case of this process. What it throws is told as the `error` event.
 *
 * `loop` is given the case as it came, and besides: `emit(event)`, which tells the user one event, as in the lines of a
 * trace (`{event: 'assistant', text: 'Hello', id: 'text-1'}`), and for every tool `run(input, id)`, which resolves to
 * what the tool returns and throws `ToolRaised` where it fails.
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
    await loop({ ...received, emit: write, tools: received.tools.map((tool) => ({ ...tool, run: runner(tool, pending) })) });
  } catch (error) {
    write(failureOf(error));
  } finally {
    lines.close();
    process.stdin.destroy(); // or the process would wait for the harness to say more
  }
}

/** The tool failed, as the scenario wants it. The message is what the model should get. */
export class ToolRaised extends Error {
  name = 'ToolRaised';
}

/**
 * The `error` event that says what `error` does, of kind `http` (a status of 400 or more), `stream` (the connection, or
 * an error of an SDK that has a place for a status and none in it) or `raised`.
 */
export function failureOf(error) {
  const message = `${error?.name ?? 'Error'}: ${error?.message ?? error}`;
  return { event: 'error', kind: kindOf(error), message: message.slice(0, LONGEST) };
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
