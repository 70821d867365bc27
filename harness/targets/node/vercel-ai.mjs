// Vercel's AI SDK, as its users write it: `streamText` or `generateText` with tools, on the provider of each wire.
//
// A further run begins with the messages of the one before, and these with what each step has added, as its documentation
// of steering says. `abortSignal` cancels a run; the steps that `onAbort` hands out are those that had ended.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { experimental_createSteering, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

import { failureOf, serve } from '../../starter/clients/harness-client.mjs';

const MODELS = {
  'openai-responses': (url, apiKey, model) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model),
  'openai-chat': (url, apiKey, model) =>
    model.startsWith('gpt-')
      ? createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model)
      : createOpenAICompatible({ name: 'other', baseURL: `${url}/v1`, apiKey })(model),
  'anthropic-messages': (url, apiKey, model) => createAnthropic({ baseURL: `${url}/v1`, apiKey })(model),
  'gemini-generate': (url, apiKey, model) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model),
};
const STEPS = 20; // the limit of its ToolLoopAgent; streamText and generateText make one step where none is given
const OUTCOMES = { length: 'truncated', 'content-filter': 'refused' };

async function loop(task) {
  const begins = messagesOf(task);
  store(task, begins, []);
  const end = await (task.stream ? streamed(task, begins) : generated(task, begins));
  if (end === null) return;
  if (['error', 'interrupted'].includes(end.finishReason)) {
    task.emit({ event: 'error', kind: 'stream', message: `finishReason: ${end.finishReason}` });
  } else {
    task.emit({ event: 'final', code: '', outcome: outcomeOf(end), text: end.text });
  }
}

/** It stops at calls only where it may make no further step, whatever the server has said of the last one. */
function outcomeOf({ finishReason, steps }) {
  return OUTCOMES[finishReason] ?? (steps.at(-1).toolCalls.length ? 'turn-limit' : 'completed');
}

/** How the run ended, by its stream of parts; null where a part says that it failed, which need not be the last one. */
async function streamed(task, begins) {
  const onAbort = ({ steps }) => store(task, begins, steps);
  const result = streamText({ ...settings(task, begins), onAbort, onError() {} }); // or it prints errors besides
  let turn = task.state.turns ?? 0;
  let failure = null;
  for await (const part of result.fullStream) {
    if (part.type === 'start-step') task.state.turns = turn += 1;
    if (part.type === 'text-delta') tellText(task, 'assistant', turn, part.text);
    if (part.type === 'reasoning-delta') tellText(task, 'thinking', turn, part.text);
    if (part.type === 'tool-call') tellRejected(task, part);
    if (part.type === 'error') failure ??= failureOf(part.error);
  }
  if (failure !== null) task.emit(failure);
  if (task.signal.aborted || failure !== null) return null;
  store(task, begins, await result.steps);
  return { finishReason: await result.finishReason, text: await result.text, steps: await result.steps };
}

async function generated(task, begins) {
  let turn = task.state.turns ?? 0;
  const result = await generateText({
    ...settings(task, begins),
    onLanguageModelCallEnd({ content }) {
      task.state.turns = turn += 1;
      for (const part of content) {
        if (part.type === 'text') tellText(task, 'assistant', turn, part.text);
        if (part.type === 'reasoning') tellText(task, 'thinking', turn, part.text);
        if (part.type === 'tool-call') tellRejected(task, part);
      }
    },
  });
  store(task, begins, result.steps);
  return result;
}

/** What was said before, and what the user says now. */
function messagesOf({ prompt, state }) {
  const said = prompt.filter(({ role }) => role !== 'system');
  return [...(state.messages ?? []), ...said.map(({ role, text: content }) => ({ role, content }))];
}

/** Leave to the next run what this one has begun with, and what its steps have added. */
function store({ state }, begins, steps) {
  const added = steps.flatMap((step) => [...(step.experimental_steeringMessages ?? []), ...step.response.messages]);
  state.messages = [...begins, ...added];
}

function settings(task, messages) {
  task.state.system ??= task.prompt.filter(({ role }) => role === 'system').map(({ text }) => text);
  const steering = experimental_createSteering();
  task.onSay((text) => void steering.steer(text));
  return {
    model: MODELS[task.wire](task.base_url, task.api_key, task.model),
    messages,
    abortSignal: task.signal,
    experimental_steering: steering,
    ...(task.state.system.length && { instructions: task.state.system.join('\n\n') }),
    tools: Object.fromEntries(task.tools.map((each) => [each.name, executable(each)])),
    stopWhen: stepCountIs(task.turn_limit ?? STEPS),
    onToolExecutionStart: ({ toolCall }) => tellStart(task, toolCall),
    onToolExecutionEnd({ toolCall, toolOutput: { type, output, error } }) {
      if (type === 'tool-result') tellResult(task, toolCall, output, true);
      else tellResult(task, toolCall, String(error), false);
    },
  };
}

function executable({ description, parameters, run }) {
  return tool({
    description,
    inputSchema: jsonSchema(parameters),
    execute: (input, { toolCallId }) => run(input, toolCallId),
  });
}

function tellText(task, event, turn, text) {
  if (text !== '') task.emit({ event, text, id: `${event}-${turn}` }); // signatures come as thoughts of no text
}

/** A call that the library itself answers, since there is no such tool or its arguments are no JSON. */
function tellRejected(task, call) {
  if (!call.invalid || call.providerExecuted) return;
  tellStart(task, call);
  tellResult(task, call, String(call.error), false);
}

function tellStart({ emit }, { toolCallId: id, toolName: name, input }) {
  emit({ event: 'toolStart', id, name, input });
}

function tellResult({ emit }, { toolCallId: id, toolName: name }, output, ok) {
  emit({ event: 'toolResult', id, name, output, ok });
}

await serve(loop);
