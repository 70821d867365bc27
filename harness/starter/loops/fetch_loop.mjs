// A tool-calling loop on OpenAI's Responses API with fetch. The harness starts this program once for each case.
//
// The case is the first line of standard input. Lines of JSON on standard output ask the harness to run a tool, and say
// what the answer to the user is. Print anything else on standard error.

import { createInterface } from 'node:readline';

const MOST_TURNS = 20;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value);
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// Ask the model, run the tools that it calls, send the results, until it calls none. Returns its text.
async function answer(task) {
  const input = task.prompt.map(({ role, text }) => ({ role, content: text }));
  const tools = task.tools.map(({ name, description, parameters }) => ({
    type: 'function', name, description, parameters, strict: false,
  }));
  for (let turn = 1; turn <= MOST_TURNS; turn += 1) {
    const { status, output, ...rest } = await ask(task, input, tools);
    if (status !== 'completed') { // cut or refused: run no call of it
      throw new Error(`the model stopped: ${status} ${JSON.stringify(rest.incomplete_details ?? rest.error)}`);
    }
    const said = output.filter(({ type }) => type === 'message').flatMap(({ content }) => content);
    const refusal = said.find(({ type }) => type === 'refusal');
    if (refusal) throw new Error(`the model refused: ${refusal.refusal}`);
    const calls = output.filter(({ type }) => type === 'function_call');
    if (!calls.length) return said.map(({ text }) => text).join('');
    input.push(...output); // as it came: a call belongs to the reasoning before it
    for (const call of calls) {
      input.push({ type: 'function_call_output', call_id: call.call_id, output: await resultOf(call, tools) });
    }
  }
  throw new Error(`no answer after ${MOST_TURNS} turns`);
}

async function ask({ base_url, api_key, model }, input, tools) {
  const response = await fetch(`${base_url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
    body: JSON.stringify({ model, input, tools, store: false, include: ['reasoning.encrypted_content'] }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return response.json();
}

// The result of a call as a text for the model; what went wrong is a result, too, so that the model can react.
async function resultOf({ call_id, name, arguments: text }, tools) {
  try {
    if (!tools.some((tool) => tool.name === name)) throw new Error(`there is no tool ${name}`);
    write({ call: { key: call_id ?? name, id: call_id, name, arguments: JSON.parse(text || '{}') } });
    const { ok, output } = (await read()).result;
    if (!ok) throw new Error(output);
    return typeof output === 'string' ? output : JSON.stringify(output);
  } catch (error) {
    return `Error: ${error.message}`;
  }
}

write({ event: 'final', code: '', outcome: 'completed', text: await answer(await read()) });
process.stdin.destroy(); // it stays open, and Node would wait for it
