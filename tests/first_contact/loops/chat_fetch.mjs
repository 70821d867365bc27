// An agent that speaks Chat Completions only, whichever case it is given: fetch, streaming. It tells its user the text
// as it comes, and what it does with tools.

import { createInterface } from 'node:readline';

const MOST_TURNS = 20;
const shown = new Set();

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function main(task) {
  const messages = task.prompt.map(({ role, text }) => ({ role, content: text }));
  for (let turn = 1; turn <= (task.turn_limit ?? MOST_TURNS); turn += 1) {
    const { message, finish, refusal } = await ask(task, messages, turn);
    if (finish === 'length') return end('truncated', message);
    if (finish === 'content_filter' || refusal) return end('refused', message);
    if (!finish) return say({ event: 'error', kind: 'stream', message: 'the stream broke off' });
    messages.push(message);
    if (!message.tool_calls) return end('completed', message);
    const ids = new Set(message.tool_calls.map(({ id }) => id).filter(Boolean));
    if (ids.size < message.tool_calls.length) throw new Error('calls without ids of their own');
    for (const call of message.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: await resultOf(task, call) });
    }
  }
  return say({ event: 'error', kind: 'turn-limit', message: 'the limit of turns is reached' });
}

const end = (outcome, { content }) => say({ event: 'final', code: '', outcome, text: content ?? '' });

async function ask({ base_url, api_key, model, tools }, messages, turn) {
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  const response = await fetch(`${base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
    body: JSON.stringify({ model, messages, stream: true, ...(offered.length && { tools: offered }) }),
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { kind: 'http' });
  const message = { role: 'assistant', content: '' };
  let [finish, refusal, half] = [null, '', ''];
  for await (const chunk of chunks(response.body)) {
    if (chunk.error) throw Object.assign(new Error(chunk.error.message), { kind: 'stream' });
    for (const { delta, finish_reason: why } of chunk.choices) {
      let text = half + (delta.content ?? '');
      half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
      text = half ? text.slice(0, -1) : text;
      message.content += text;
      refusal += delta.refusal ?? '';
      if (text) say({ event: 'assistant', text, id: `text-${turn}` });
      for (const piece of delta.tool_calls ?? []) add((message.tool_calls ??= []), piece);
      finish = why ?? finish;
    }
  }
  message.content ||= message.tool_calls ? null : '';
  return { message, finish, refusal };
}

async function* chunks(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = frames.pop();
    for (const frame of frames) {
      if (frame.startsWith('data:') && !frame.includes('[DONE]')) yield JSON.parse(frame.slice(5));
    }
  }
}

function add(calls, { index, id, function: { name, arguments: text } = {} }) {
  calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } };
  if (id) calls[index].id = id;
  calls[index].function.name += name ?? '';
  calls[index].function.arguments += text ?? '';
}

async function resultOf({ tools }, { id: own, function: { name, arguments: text } }) {
  const id = shown.has(own) ? `${own}-${shown.size}` : own; // some servers number the calls of each turn anew
  shown.add(id);
  let input;
  try {
    input = JSON.parse(text || '{}');
  } catch (error) {
    return failed(id, name, null, `the arguments are not JSON: ${error.message}`);
  }
  if (!tools.some((tool) => tool.name === name)) return failed(id, name, input, `there is no tool ${name}`);
  say({ event: 'toolStart', id, name, input });
  say({ call: { key: id, name, arguments: input, id: own } });
  const { ok, output } = (await read()).result;
  say({ event: 'toolResult', id, name, output, ok });
  return ok ? JSON.stringify(output) : `Error: ${output}`;
}

function failed(id, name, input, why) {
  say({ event: 'toolStart', id, name, input });
  say({ event: 'toolResult', id, name, output: why, ok: false });
  return `Error: ${why}`;
}

try {
  await main(await read());
} catch (error) {
  say({ event: 'error', kind: error.kind ?? (error.message === 'terminated' ? 'stream' : 'raised'), message: error.message });
}
process.stdin.destroy();
