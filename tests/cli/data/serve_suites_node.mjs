import { test, beforeEach } from 'node:test';
const base = process.env.HARNESS_CASE_BASE_URL;
const of = (name) => `${base}/test/${encodeURIComponent(name)}/v1`;
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }];
async function ask(url, messages, headers = {}) {
  const body = JSON.stringify({ model: 'gpt-4.1', messages, tools });
  const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body, headers });
  return answer.ok ? (await answer.json()).choices[0].message : null;
}
async function answer(url, question, forgets, headers) {
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const message = await ask(url, messages, headers);
    if (!message?.tool_calls) return;
    messages.push(message);
    const kept = message.tool_calls.slice(forgets ? 1 : 0);
    messages.push(...kept.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'sunny' })));
  }
}
for (let number = 0; number < 8; number += 1) {
  const name = `weather ${number}/of/8`;
  test(name, { concurrency: true }, () => answer(of(name), 'Is it cold?', number === 5));
}
test('by header', () => answer(`${base}/v1`, 'Is it cold?', false, { 'x-harness-test': 'by header' }));
