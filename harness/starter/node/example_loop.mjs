// An agent loop on Chat Completions, small enough to read. Put your own in its place.
//
// The harness starts this program once for every case. On standard input comes the case, one line of JSON; lines of JSON
// on standard output tell what the user is told, and ask the harness to run a tool. Print others on standard error.

import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const MOST_TURNS = 20;
const MOST_TRIES = 3;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => JSON.parse((await lines.next()).value);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// Ask the model, run the tools that it calls, send it the results, until it calls none.
async function run(task) {
  const messages = task.prompt.map(({ role, text }) => ({ role, content: text }));
  for (let turn = 1; turn <= (task.turn_limit ?? MOST_TURNS); turn += 1) {
    const { message, finish_reason: why } = await ask(task, messages);
    if (why === 'length' || why === 'content_filter' || message.refusal) {
      // its calls, if it has any, must not run
      return end(why === 'length' ? 'truncated' : 'refused', message);
    }
    if (!message.tool_calls?.length) return end('completed', message);
    const ids = new Set(message.tool_calls.map(({ id }) => id).filter(Boolean));
    if (ids.size < message.tool_calls.length) {
      throw new Error('the model has sent calls without ids of their own, so no result could name its call');
    }
    messages.push(message);
    for (const call of message.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: await resultOf(call) });
    }
  }
  say({ event: 'error', kind: 'turn-limit', message: 'the model did not come to an end' });
}

function end(outcome, { content, refusal }) {
  say({ event: 'final', code: '', outcome, text: content ?? refusal ?? '' });
}

async function ask({ base_url, api_key, model, tools }, messages) {
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${base_url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
      body: JSON.stringify({ model, messages, ...(offered.length && { tools: offered }) }),
    });
    if (response.ok) return (await response.json()).choices[0];
    const worthAnotherTry = response.status === 429 || response.status >= 500;
    if (!worthAnotherTry || tries === MOST_TRIES) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    await sleep(1000 * Number(response.headers.get('retry-after') ?? tries));
  }
}

// What the model is told of a call: the result, or what was wrong.
async function resultOf({ id, function: { name, arguments: text } }) {
  let args;
  try {
    args = JSON.parse(text || '{}');
  } catch (error) {
    return `Error: ${error.message}`;
  }
  say({ call: { key: id, name, arguments: args, id } });
  const { ok, output } = (await hear()).result;
  const told = typeof output === 'string' ? output : JSON.stringify(output);
  return ok ? told : `Error: ${told}`;
}

try {
  await run(await hear());
} catch (error) {
  say({ event: 'error', kind: error.message.startsWith('HTTP') ? 'http' : 'raised', message: error.message });
}
process.stdin.destroy();
