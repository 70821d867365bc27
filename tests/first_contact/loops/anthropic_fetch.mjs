// An agent on Anthropic's Messages: fetch and a reader of server-sent events, with thinking, and no package at all.

import { createInterface } from 'node:readline';

const MOST_TURNS = 25;
const THINKING = { type: 'enabled', budget_tokens: 2048 };

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value);
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function main(task) {
  const system = task.prompt.filter(({ role }) => role === 'system').map(({ text }) => text);
  const messages = task.prompt.filter(({ role }) => role !== 'system').map(({ role, text }) => ({ role, content: text }));
  const tools = task.tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const { content, stop } = await ask(task, {
      model: task.model,
      max_tokens: 8192,
      thinking: THINKING,
      stream: true,
      messages,
      ...(system.length && { system: system.join('\n') }),
      ...(tools.length && { tools }),
    });
    if (stop === 'max_tokens' || stop === 'refusal' || stop === 'model_context_window_exceeded') {
      throw new Error(`the model stopped with ${stop}`);
    }
    const calls = content.filter(({ type }) => type === 'tool_use');
    checkIds(messages, calls);
    if (content.length) messages.push({ role: 'assistant', content: content.map(({ broken, ...block }) => block) });
    if (calls.length) {
      const results = [];
      for (const call of calls) results.push(await resultOf(task, call));
      messages.push({ role: 'user', content: results });
    } else if (stop !== 'pause_turn') {
      return content.map(({ text }) => text ?? '').join('');
    }
  }
  throw new Error('the model did not come to an end');
}

async function ask({ base_url, api_key }, body) {
  const response = await fetch(`${base_url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': api_key },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const content = [];
  let stop = null;
  let ended = false;
  for await (const event of events(response.body)) {
    const block = content[event.index];
    if (event.type === 'error') throw new Error(event.error.message);
    if (event.type === 'content_block_start') content.push({ ...event.content_block, json: '' });
    if (event.type === 'content_block_delta') add(block, event.delta);
    if (event.type === 'message_delta') stop = event.delta.stop_reason;
    if (event.type === 'message_stop') ended = true;
  }
  if (!ended) throw new Error('the stream ended before the message did');
  return { content: content.filter(({ text }) => text !== '').map(finished), stop };
}

async function* events(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data:'));
      if (data) yield JSON.parse(data.slice(5));
    }
  }
}

function add(block, delta) {
  if (delta.type === 'text_delta') block.text += delta.text;
  if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
  if (delta.type === 'signature_delta') block.signature = delta.signature;
  if (delta.type === 'input_json_delta') block.json += delta.partial_json;
}

function finished({ json, ...block }) {
  if (block.type !== 'tool_use') return block;
  try {
    return { ...block, input: JSON.parse(json || '{}') };
  } catch (error) {
    return { ...block, input: { INVALID_JSON: json }, broken: error.message };
  }
}

function checkIds(messages, calls) {
  const earlier = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_use');
  const ids = [...earlier, ...calls].map(({ id }) => id);
  if (ids.some((id) => !id) || new Set(ids).size < ids.length) throw new Error('calls without ids of their own');
}

async function resultOf({ tools }, { id, name, input, broken }) {
  const result = { type: 'tool_result', tool_use_id: id };
  if (!tools.some((tool) => tool.name === name)) return { ...result, content: `no tool ${name}`, is_error: true };
  if (broken) return { ...result, content: `the arguments are not JSON: ${broken}`, is_error: true };
  write({ call: { key: id, name, arguments: input, id } });
  const { ok, output } = (await read()).result;
  return { ...result, content: typeof output === 'string' ? output : JSON.stringify(output), is_error: !ok };
}

try {
  write({ event: 'final', code: '', outcome: 'completed', text: await main(await read()) });
} catch (error) {
  write({ event: 'error', kind: 'raised', message: error.message });
}
process.stdin.destroy();
