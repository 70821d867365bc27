// A tool-calling loop on OpenAI's Responses API with fetch. The harness starts this program, and calls `answer` once for
// each case (`serve`, at the end).

import { serve } from './harness-client.mjs';

const MOST_TURNS = 20;

// JSON.parse rounds whole numbers of more than 15 digits: these become texts, which tools read as well.
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const exact = (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token);

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
      input.push({ type: 'function_call_output', call_id: call.call_id, output: await resultOf(call, task.tools) });
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
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    const output = await tool.run(JSON.parse((text || '{}').replace(TEXT_OR_NUMBER, exact)), call_id);
    return typeof output === 'string' ? output : JSON.stringify(output);
  } catch (error) {
    return `Error: ${error.message}`;
  }
}

await serve(answer);
