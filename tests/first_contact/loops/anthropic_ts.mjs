// An agent on Anthropic's Messages: Anthropic's package for Node, whole answers, the calls of a turn run at once.

import { createInterface } from 'node:readline';

import Anthropic from '@anthropic-ai/sdk';

const waiting = new Map();
const lines = createInterface({ input: process.stdin });
const task = await new Promise((resolve) => {
  lines.on('line', (line) => {
    const { result, ...first } = JSON.parse(line);
    if (result) waiting.get(result.key)(result);
    else resolve(first);
  });
});
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function main() {
  const client = new Anthropic({ baseURL: task.base_url, apiKey: task.api_key });
  const system = task.prompt.filter(({ role }) => role === 'system').map(({ text }) => ({ type: 'text', text }));
  const messages = task.prompt.filter(({ role }) => role !== 'system').map(({ role, text }) => ({ role, content: text }));
  for (let turn = 0; turn < (task.turn_limit ?? 30); turn += 1) {
    const message = await client.messages.create({
      model: task.model,
      max_tokens: 4096,
      messages,
      thinking: { type: 'adaptive' },
      ...(system.length && { system }),
      ...(task.tools.length && { tools: task.tools.map(declared) }),
    });
    const { content, stop_reason: stop } = message;
    if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return { outcome: 'truncated', content };
    if (stop === 'refusal') return { outcome: 'refused', content };
    if (!stop) throw new Error('the message is not whole');
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (content.length) messages.push({ role: 'assistant', content });
    if (stop === 'pause_turn') continue;
    if (!calls.length) return { outcome: 'completed', content };
    const ids = messages.flatMap((each) => (Array.isArray(each.content) ? each.content : [])).filter(isCall);
    if (new Set(ids.map(({ id }) => id)).size < ids.length || ids.some(({ id }) => !id)) {
      throw new Error('the ids of calls must be unique');
    }
    messages.push({ role: 'user', content: await Promise.all(calls.map(resultOf)) });
  }
  return null;
}

const isCall = ({ type }) => type === 'tool_use';

const declared = ({ name, description, parameters }) => ({ name, description, input_schema: parameters });

async function resultOf({ id, name, input }) {
  const result = { type: 'tool_result', tool_use_id: id };
  if (!task.tools.some((tool) => tool.name === name)) {
    return { ...result, content: `There is no tool ${name}.`, is_error: true };
  }
  const { ok, output } = await new Promise((resolve) => {
    waiting.set(id, resolve);
    write({ call: { key: id, name, arguments: input, id } });
  });
  return { ...result, content: [{ type: 'text', text: JSON.stringify(output) }], is_error: !ok };
}

try {
  const end = await main();
  if (end) {
    const text = end.content.map((block) => block.text ?? '').join('');
    write({ event: 'final', code: '', outcome: end.outcome, text });
  } else {
    write({ event: 'error', kind: 'turn-limit', message: 'the limit of turns is reached' });
  }
} catch (error) {
  write({ event: 'error', kind: error.status ? 'http' : 'stream', message: error.message });
}
lines.close();
process.stdin.destroy();
