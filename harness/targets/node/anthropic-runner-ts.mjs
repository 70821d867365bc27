// The tool runner of Anthropic's TypeScript SDK, as its users write it: a loop over what the runner yields. On message
// threads, its default, or with `--unthreaded` on whole histories.
//
// A further run begins with the messages, and the container, of the one before, which a thread and the runner have in
// their `params`. The option `signal` cancels a run. What the user says meanwhile is appended to the thread, where it
// waits for the next turn; a tool runner ends at an answer, so whoever has said something since begins that turn. Without
// a thread the runner takes it only where its caller handles a reply.

import { parseArgs } from 'node:util';

import Anthropic from '@anthropic-ai/sdk';

import { serve } from '../../starter/clients/harness-client.mjs';

const { values: options } = parseArgs({ options: { unthreaded: { type: 'boolean', default: false } } });

const OUTCOMES = {
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  refusal: 'refused',
};

// Stop reasons on which the runner asks again if it may.
const UNFINISHED = ['tool_use', 'pause_turn'];

// What the caller does to change the request. The runner then asks again if it may, whatever the stop reason.
const CHANGES = ['push_messages', 'set_messages', 'set_params'];

async function loop(task) {
  const client = new Anthropic({ baseURL: task.base_url, apiKey: task.api_key });
  const { begin, held, waits } = conversation(client, task);
  const before = task.state.turns ?? 0;
  let last;
  let changed;
  let unanswered;
  let turn = 0;
  try {
    do {
      const runner = begin(turn);
      for await (const yielded of runner) {
        turn += 1;
        task.state.turns = before + turn;
        const shown = task.stream ? streamed : whole;
        last = await shown(yielded, before + turn, task.emit);
        changed = await act(runner, last, task.caller?.[turn] ?? []);
      }
      await inputRead();
      unanswered = last.stop_reason === 'end_turn' && waits();
    } while (unanswered && turn !== task.turn_limit);
  } finally {
    const { messages, container } = held();
    Object.assign(task.state, { messages, container });
  }
  const outcome = outcomeOf(last, { changed: changed || unanswered, spent: turn === task.turn_limit });
  task.emit({ event: 'final', code: '', outcome, text: textOf(last) });
}

/** An answer may come to its end in the turn of the event loop in which the user says something: that is read next. */
const inputRead = () => new Promise(setImmediate);

/** At `max_iterations` the runner stops without a word. Its user knows whether it would have asked again. */
function outcomeOf({ stop_reason }, { changed, spent }) {
  if (spent && (changed || UNFINISHED.includes(stop_reason))) return 'turn-limit';
  return OUTCOMES[stop_reason] ?? 'completed';
}

/**
 * What begins a runner when so many turns are over, has what the next run begins with, and says whether something was
 * said that no request has yet.
 */
function conversation(client, task) {
  const { beta } = client;
  const { signal, stream, turn_limit } = task;
  const settings = (turn) => ({ stream, ...(turn_limit != null && { max_iterations: turn_limit - turn }) });
  if (options.unthreaded || !converses(task)) {
    const thread = options.unthreaded && { thread: false };
    const runner = beta.messages.toolRunner({ ...parameters(task), ...settings(0), ...thread }, { signal });
    return { begin: () => runner, held: () => runner.params, waits: () => false };
  }
  const thread = beta.messages.thread({ ...parameters(task), unsupportedRequestBehavior: 'continue_unthreaded' });
  task.onSay((content) => thread.append({ role: 'user', content }));
  return {
    begin: (turn) => thread.toolRunner(settings(turn), { signal }),
    held: () => thread.params,
    waits: () => thread.messages.at(-1).role === 'user',
  };
}

/** Whether the case may have several runs: a caller changes the history of one. */
const converses = (task) => !Object.keys(task.caller ?? {}).length;

function parameters(task) {
  const said = task.prompt.filter(({ role }) => role !== 'system');
  task.state.system ??= task.prompt.filter(({ role }) => role === 'system').map(({ text }) => text);
  return {
    model: task.model,
    max_tokens: 8192,
    thinking: { type: 'adaptive', display: 'summarized' },
    messages: [...(task.state.messages ?? []), ...said.map(({ role, text: content }) => ({ role, content }))],
    tools: task.tools.map(runnable),
    ...(task.state.system.length && { system: task.state.system.join('\n\n') }),
    ...(task.state.container && { container: task.state.container }),
  };
}

function runnable({ name, description, parameters, run }) {
  return {
    type: 'custom',
    name,
    description,
    input_schema: parameters,
    parse: (input) => input,
    run: async (input, { toolUse }) => asText(await run(input, toolUse.id)),
  };
}

const asText = (result) => (typeof result === 'string' ? result : JSON.stringify(result));

async function streamed(stream, turn, emit) {
  for await (const { type, delta } of stream) {
    if (type !== 'content_block_delta') continue;
    if (delta.type === 'text_delta') emit({ event: 'assistant', text: delta.text, id: `text-${turn}` });
    if (delta.type === 'thinking_delta') emit({ event: 'thinking', text: delta.thinking, id: `thinking-${turn}` });
  }
  return stream.finalMessage();
}

function whole(message, turn, emit) {
  for (const { type, text, thinking } of message.content) {
    if (type === 'text') emit({ event: 'assistant', text, id: `text-${turn}` });
    if (type === 'thinking' && thinking) emit({ event: 'thinking', text: thinking, id: `thinking-${turn}` });
  }
  return message;
}

const textOf = (message) => message.content.map((block) => block.text ?? '').join('');

/** Do to the runner, which has yielded `message`, what the scenario's caller does. Whether that changed the request. */
async function act(runner, message, actions) {
  let changed = false;
  for (const action of actions) {
    const [does, what] = typeof action === 'string' ? [action] : Object.entries(action)[0];
    changed ||= CHANGES.includes(does);
    if (does === 'generate_tool_response') await runner.generateToolResponse();
    else if (does === 'push_messages') runner.pushMessages(...(await messages(runner, message, what)));
    else if (does === 'set_messages') setParams(runner, { messages: await messages(runner, message, what) });
    else if (does === 'set_params') setParams(runner, what);
    else if (does === 'edit_tool_response') await edit(runner, what);
    else throw new Error(`the scenario's caller does ${does}, which this driver does not know`);
  }
  return changed;
}

async function messages(runner, { role, content }, pieces) {
  const found = [];
  for (const piece of pieces) {
    if (piece === 'turn') found.push({ role, content });
    else if (piece === 'response') found.push(await response(runner));
    else if (piece.turn) found.push({ role, content: content.map((block) => edited(block, piece.turn)) });
    else if (piece === 'history') found.push(...runner.params.messages);
    else found.push(...Object.entries(piece).map(([role, content]) => ({ role, content })));
  }
  return found;
}

const edited = (block, { old, new: text }) => (block.text ? { ...block, text: block.text.replaceAll(old, text) } : block);

async function response(runner) {
  const found = await runner.generateToolResponse();
  if (found === null) throw new Error("the scenario's caller wants a tool response; the turn asked for no tool");
  return found;
}

const setParams = (runner, fields) => runner.setMessagesParams((params) => ({ ...params, ...fields }));

/** Change a text of the tool response in place, which is all that a caller can do to it. */
async function edit(runner, { old, new: text }) {
  for (const block of (await response(runner)).content) block.content = block.content.replaceAll(old, text);
}

await serve(loop);
