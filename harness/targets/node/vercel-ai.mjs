// Vercel's AI SDK, as its users write it: `streamText` or `generateText` with tools, on the provider of each wire.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

import { drive, failureOf } from './harness.mjs';

const MODELS = {
  'openai-responses': (url, apiKey, model) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model),
  'openai-chat': (url, apiKey, model) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model),
  'anthropic-messages': (url, apiKey, model) => createAnthropic({ baseURL: `${url}/v1`, apiKey })(model),
  'gemini-generate': (url, apiKey, model) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model),
};
const STEPS = 20; // the limit of its ToolLoopAgent; streamText and generateText make one step where none is given
const OUTCOMES = { length: 'truncated', 'content-filter': 'refused', 'tool-calls': 'turn-limit' };

async function loop(task) {
  const said = task.stream ? await streamed(task) : await generated(task);
  if (said) task.emit({ event: 'final', code: '', outcome: OUTCOMES[said.finishReason] ?? 'completed', text: said.text });
}

/** What the stream of parts says at its end; nothing where it says that the run failed. */
async function streamed(task) {
  const result = streamText({ ...parameters(task), onError() {} }); // or errors are printed, too
  let failed = false;
  let turn = 0;
  for await (const part of result.fullStream) {
    const id = `turn-${turn}`;
    if (part.type === 'start-step') turn += 1;
    else if (part.type === 'text-delta') task.emit({ event: 'assistant', text: part.text, id });
    else if (part.type === 'reasoning-delta') task.emit({ event: 'thinking', text: part.text, id });
    else tellRejected(part, task.emit);
    if (part.type === 'error' && !failed) task.emit(failureOf(part.error));
    failed ||= part.type === 'error';
  }
  return failed ? undefined : { finishReason: await result.finishReason, text: await result.text };
}

async function generated(task) {
  return generateText({
    ...parameters(task),
    onStepEnd({ content, stepNumber }) {
      const id = `turn-${stepNumber + 1}`;
      for (const part of content) {
        if (part.type === 'text') task.emit({ event: 'assistant', text: part.text, id });
        else if (part.type === 'reasoning') task.emit({ event: 'thinking', text: part.text, id });
        else tellRejected(part, task.emit);
      }
    },
  });
}

function parameters(task) {
  const texts = (role) => task.prompt.filter((message) => message.role === role).map((message) => message.text);
  return {
    model: MODELS[task.wire](task.base_url, task.api_key, task.model),
    messages: texts('user').map((content) => ({ role: 'user', content })),
    tools: Object.fromEntries(task.tools.map((each) => [each.name, executable(each)])),
    stopWhen: stepCountIs(task.turn_limit ?? STEPS),
    ...(texts('system').length && { instructions: texts('system').join('\n\n') }),
    onToolExecutionStart: ({ toolCall: { toolCallId: id, toolName: name, input } }) =>
      task.emit({ event: 'toolStart', id, name, input }),
    onToolExecutionEnd: ({ toolCall: { toolCallId: id, toolName: name }, toolOutput }) =>
      task.emit({ event: 'toolResult', id, name, output: toolOutput.output ?? String(toolOutput.error), ok: toolOutput.type === 'tool-result' }),
  };
}

function executable({ description, parameters, run }) {
  return tool({
    description,
    inputSchema: jsonSchema(parameters),
    execute: (input, { toolCallId }) => run(input, toolCallId),
  });
}

/** A call that the library itself answers, since it is of no tool or its arguments cannot be read. */
function tellRejected(part, emit) {
  if (part.type === 'tool-call' && part.invalid) {
    emit({ event: 'toolStart', id: part.toolCallId, name: part.toolName, input: part.input });
    emit({ event: 'toolResult', id: part.toolCallId, name: part.toolName, output: String(part.error), ok: false });
  }
}

await drive(loop);
