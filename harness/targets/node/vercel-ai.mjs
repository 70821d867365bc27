// Vercel's AI SDK, as its users write it: `streamText` or `generateText` with tools, on the provider of each wire.
//
// A further run begins with the messages of the one before, and these with what each step has added when it ends, as
// its documentation says: `onStepEnd` is where the history is saved, and `onAbort` has no other steps. A message that
// steering reports as not delivered is sent as a new one.
//
// A call that waits for the user's approval has left a request for it among these messages. The responses go back in a
// message of the role `tool`, once there is one to each request, and the run that begins with them carries them out.
// Another message of the user's declines what waits, since every request must have a response before that.
//
// On Gemini Interactions each request has all messages, by default. With --chained a run names the interaction with
// which the run before has ended, beside all messages: the provider leaves out what that interaction has.

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
  'gemini-interactions': (url, apiKey, model) =>
    createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey }).interactions(model),
};
const THINKING = {
  anthropic: { thinking: { type: 'adaptive', display: 'summarized' } },
  google: { thinkingConfig: { includeThoughts: true }, thinkingSummaries: 'auto' },
  openai: { reasoningSummary: 'auto' },
};
const CHAINED = process.argv.includes('--chained');
const STEPS = 20; // the limit of its ToolLoopAgent; streamText and generateText make one step where none is given
const FAILED = ['error', 'interrupted'];
const OUTCOMES = { length: 'truncated', 'content-filter': 'refused' };
const DEFERRED = { event: 'final', code: '', outcome: 'deferred' };
const IN_PLACE_OF_A_DECISION = { approved: false, reason: 'The user has said something else.' };

async function loop(task) {
  const user = listener(task);
  respond(task);
  if (task.resolve.length && waiting(task.state).length) return task.emit(DEFERRED);
  let end;
  do end = await (task.stream ? streamed(task, user) : generated(task, user)).finally(pendingInput);
  while (task.state.unsent.length && isAnswered(end));
  if (end === null) return;
  if (FAILED.includes(end.finishReason)) {
    task.emit({ event: 'error', kind: 'stream', message: `finishReason: ${end.finishReason}` });
  } else if (outcomeOf(end) === 'deferred') {
    task.emit(DEFERRED);
  } else {
    task.emit({ event: 'final', code: '', outcome: outcomeOf(end), text: end.text });
  }
}

/** The user, who says `prompt`, and more while the loop runs; what no run has taken yet is stored as `unsent`. */
function listener({ prompt, state, resolve, onSay }) {
  const said = prompt.filter(({ role }) => role !== 'system');
  state.messages ??= [];
  state.unsent = [...(state.unsent ?? []), ...said.map(({ role, text: content }) => ({ role, content }))];
  const say = async (words) => {
    const { type, message } = await user.steering.steer(words);
    if (type === 'not-delivered') state.unsent.push(message);
  };
  const user = {
    steering: null,
    /** The messages that a run begins with. What was said before the user decides is steered: it comes behind. */
    begin() {
      user.steering = experimental_createSteering();
      const unsent = state.unsent.splice(0);
      const responses = state.responses.splice(0);
      if (responses.length) state.messages.push({ role: 'tool', content: responses });
      if (responses.length && resolve.length) unsent.forEach(say);
      else state.messages.push(...unsent);
      return [...state.messages];
    },
  };
  onSay(say);
  return user;
}

/** Put the user's responses to the calls that wait beside those of earlier runs; another message declines them all. */
function respond({ resolve, state }) {
  state.responses ??= [];
  if (!resolve.length) state.responses.push(...waiting(state).map((call) => responseTo(call, IN_PLACE_OF_A_DECISION)));
  for (const [tool, words] of resolve.flatMap((round) => Object.entries(round))) {
    const calls = waiting(state).filter(({ toolName }) => toolName === tool);
    const each = Array.isArray(words) ? words : calls.map(() => words);
    state.responses.push(...each.map((word, index) => responseTo(calls[index], decision(word))));
  }
}

/** The calls for whose approval the library has asked, and to which there is no response yet. */
function waiting({ messages, responses }) {
  const answered = [...partsOf(messages, 'tool-approval-response'), ...responses].map(({ approvalId }) => approvalId);
  return partsOf(messages, 'tool-approval-request')
    .filter(({ approvalId }) => !answered.includes(approvalId))
    .map(({ approvalId, toolCallId }) => ({ approvalId, ...callOf(messages, toolCallId) }));
}

function callOf(messages, id) {
  return partsOf(messages, 'tool-call').findLast(({ toolCallId }) => toolCallId === id);
}

function partsOf(messages, type) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts.filter((part) => part.type === type);
}

function responseTo({ approvalId }, decision) {
  return { type: 'tool-approval-response', approvalId, ...decision };
}

/** One of the scenario's words as the library has it. */
function decision(word) {
  return word === 'approve' ? { approved: true } : { approved: false, reason: word.deny };
}

/** Resolves when what the user has said by now was read: a stream that comes all at once keeps Node from its input. */
async function pendingInput() {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate); // one may be of a turn that had begun before
}

/** Whether a run has ended with an answer, behind which another message of the user's may be sent. */
function isAnswered(end) {
  return end !== null && !FAILED.includes(end.finishReason) && !['turn-limit', 'deferred'].includes(outcomeOf(end));
}

/** It stops at calls only where one waits, or where it may make no further step, whatever the server has said of it. */
function outcomeOf({ finishReason, steps }) {
  const { content, toolCalls } = steps.at(-1);
  if (OUTCOMES[finishReason]) return OUTCOMES[finishReason];
  if (content.some(({ type }) => type === 'tool-approval-request')) return 'deferred';
  return toolCalls.length ? 'turn-limit' : 'completed';
}

/** How the run ended, by its stream of parts; null where a part says that it failed, which need not be the last one. */
async function streamed(task, user) {
  const result = streamText({ ...settings(task, user), onError() {} }); // or it prints errors besides
  let turn = task.state.turns ?? 0;
  let failure = null;
  for await (const part of result.fullStream) {
    if (part.type === 'start-step') task.state.turns = turn += 1;
    if (part.type === 'text-delta') tellText(task, 'assistant', turn, part.text);
    if (part.type === 'reasoning-delta') tellText(task, 'thinking', turn, part.text);
    if (part.type === 'tool-call') tellRejected(task, part);
    if (part.type === 'tool-output-denied') tellDenied(task, part);
    if (part.type === 'error') failure ??= failureOf(part.error);
  }
  if (failure !== null) task.emit(failure);
  if (task.signal.aborted || failure !== null) return null;
  return { finishReason: await result.finishReason, text: await result.text, steps: await result.steps };
}

async function generated(task, user) {
  let turn = task.state.turns ?? 0;
  return await generateText({
    ...settings(task, user),
    onLanguageModelCallEnd({ content }) {
      task.state.turns = turn += 1;
      for (const part of content) {
        if (part.type === 'text') tellText(task, 'assistant', turn, part.text);
        if (part.type === 'reasoning') tellText(task, 'thinking', turn, part.text);
        if (part.type === 'tool-call') tellRejected(task, part);
      }
    },
  });
}

function settings(task, user) {
  task.state.system ??= task.prompt.filter(({ role }) => role === 'system').map(({ text }) => text);
  return {
    model: MODELS[task.wire](task.base_url, task.api_key, task.model),
    messages: user.begin(),
    abortSignal: task.signal,
    experimental_steering: user.steering,
    ...(task.state.system.length && { instructions: task.state.system.join('\n\n') }),
    providerOptions: asked(task),
    tools: Object.fromEntries(task.tools.map((each) => [each.name, executable(each)])),
    toolApproval: approvals(task.tools),
    stopWhen: stepCountIs(task.turn_limit ?? STEPS),
    prepareStep: (step) => storeDecided(task, step),
    onStepEnd: (step) => store(task, step),
    onToolExecutionStart: ({ toolCall }) => tellStart(task, toolCall),
    onToolExecutionEnd({ toolCall, toolOutput: { type, output, error } }) {
      if (type === 'tool-result') tellResult(task, toolCall, output, true);
      else tellResult(task, toolCall, String(error), false);
    },
  };
}

/** What is asked of each provider: to think where the model of the case does, and the interaction to go on from. */
function asked({ reasons, state: { interaction } }) {
  const previous = CHAINED && interaction && { previousInteractionId: interaction };
  return reasons ? { ...THINKING, google: { ...THINKING.google, ...previous } } : { google: { ...previous } };
}

/** Leave to the next run what a step has added; one whose stream has failed may have calls that nobody has run. */
function store({ state }, { experimental_steeringMessages: steering = [], finishReason, providerMetadata, response }) {
  const failed = FAILED.includes(finishReason);
  state.messages.push(...steering, ...(failed ? [] : response.messages));
  if (!failed) state.interaction = providerMetadata?.google?.interactionId;
}

/** Before the first step there are the results of the calls about which the user has decided: they are in no step. */
function storeDecided({ state }, { stepNumber, responseMessages }) {
  if (stepNumber === 0) state.messages.push(...responseMessages);
}

function approvals(tools) {
  const unapproved = tools.filter(({ kind }) => kind === 'unapproved');
  return Object.fromEntries(unapproved.map(({ name }) => [name, 'user-approval']));
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

/** The user learns that a call was denied, and has said why. */
function tellDenied(task, { toolCallId: id }) {
  const { messages } = task.state;
  const { approvalId } = partsOf(messages, 'tool-approval-request').findLast(({ toolCallId }) => toolCallId === id);
  const { reason } = partsOf(messages, 'tool-approval-response').findLast((each) => each.approvalId === approvalId);
  tellStart(task, callOf(messages, id));
  tellResult(task, callOf(messages, id), reason, false);
}

function tellStart({ emit }, { toolCallId: id, toolName: name, input }) {
  emit({ event: 'toolStart', id, name, input });
}

function tellResult({ emit }, { toolCallId: id, toolName: name }, output, ok) {
  emit({ event: 'toolResult', id, name, output, ok });
}

await serve(loop);
