// Loops on the Node client: in each case the one that the case's scenario is called after.

import { serve } from '../../../clients/node/harness-client.mjs';

const kept = [];

async function ask(task, messages) {
  const tools = task.tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  const response = await fetch(`${task.base_url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': task.api_key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: task.model, max_tokens: 99, messages, tools }),
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return (await response.json()).content;
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

// Tools run at once, their results go back in the order of the calls.
async function answer(task, counted = (calls) => calls) {
  const messages = task.prompt.map(({ role, text }) => ({ role, content: text }));
  for (;;) {
    const content = await ask(task, messages);
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (!calls.length) return content.map(({ text }) => text ?? '').join('');
    const results = await Promise.all(
      counted(calls).map(async ({ id, name, input }) => {
        const tool = task.tools.find((each) => each.name === name);
        return { type: 'tool_result', tool_use_id: id, content: textOf(await tool.run(input, id)) };
      }),
    );
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
}

const LOOPS = {
  prints(task) {
    const line = '{"event": "assistant", "text": "printed", "id": "1"}';
    console.log(line);
    process.stdout.write(`${line}\n`);
    return answer(task);
  },
  'in-tasks': (task) => answer(task),
  async large(task) {
    const text = await task.tools[0].run({ city: 'søk '.repeat(200_000) });
    if (text.length < 500_000) throw new Error('the result was cut');
    return answer(task);
  },
  leaves(task) {
    kept.push(task);
    return answer(task);
  },
  'finds-what-was-left'(task) {
    const [old] = kept;
    old.emit({ event: 'assistant', text: 'late', id: '1' });
    old.tools[0].run({ city: 'Oslo' });
    return answer(task);
  },
  raises() {
    throw new RangeError('out of order');
  },
  'is-refused': (task) => ask({ ...task, base_url: `${task.base_url}/v1` }, []),
  'fails-behind-its-back'(task) {
    Promise.reject(new Error('nobody awaits this'));
    return answer(task);
  },
  exits: () => process.exit(3),
  answer: (task) => answer(task),
  forgets: (task) => answer(task, (calls) => calls.slice(0, 1)),
};

await serve((task) => LOOPS[task.case.split('.')[0]](task));
