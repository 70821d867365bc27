// Loops on the Node client whose runs are one conversation; the first argument names one.

import { serve } from '../../../clients/node/harness-client.mjs';

const PENDING = { content: 'cancelled by the user', is_error: true };

async function ask(task, messages, signal) {
  const tools = task.tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  const response = await fetch(`${task.base_url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': task.api_key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: task.model, max_tokens: 99, messages, tools }),
    signal,
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return (await response.json()).content;
}

async function converse(task, { signal = task.signal, caught = false } = {}) {
  const messages = (task.state.messages ??= []);
  messages.push({ role: 'user', content: task.prompt.map(({ text }) => text).join('\n') });
  const said = [];
  task.onSay((text) => said.push({ type: 'text', text }));
  for (;;) {
    const content = await ask(task, messages, signal);
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (!calls.length) return content.map(({ text }) => text ?? '').join('');
    const results = new Map(calls.map(({ id }) => [id, PENDING]));
    const run = async ({ id, name, input }) => {
      const tool = task.tools.find((each) => each.name === name);
      results.set(id, { content: JSON.stringify(await tool.run(input, id)) });
    };
    try {
      await Promise.all(calls.map((call) => (caught ? run(call).catch(() => {}) : run(call))));
    } finally {
      const answers = [...results].map(([id, result]) => ({ type: 'tool_result', tool_use_id: id, ...result }));
      messages.push({ role: 'user', content: [...answers, ...said.splice(0)] });
    }
  }
}

const LOOPS = {
  converses: (task) => converse(task),
  'goes-on': (task) => converse(task, { signal: null, caught: true }),
  'keeps-what-is-no-json'(task) {
    task.state.big = 1n;
    return converse(task);
  },
};

await serve(LOOPS[process.argv[2]]);
