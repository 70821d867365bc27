/** What the loop reports to its user. `id` of texts is the same for all pieces of one turn. */
export type Event =
  | { event: 'turnStart'; turn: number }
  | { event: 'assistant'; text: string; id: string }
  | { event: 'thinking'; text: string; id: string }
  | { event: 'toolStart'; id: string; name: string; input?: unknown }
  | { event: 'toolArguments'; id: string; text: string }
  | { event: 'setCode'; code: string; id?: string | null; preview?: boolean }
  | { event: 'toolResult'; id: string; name: string; output: unknown; ok: boolean | null }
  | { event: 'error'; kind: 'http' | 'stream' | 'turn-limit' | 'tool-retries' | 'raised'; message: string }
  | {
      event: 'final';
      code: string;
      outcome?: 'completed' | 'truncated' | 'refused' | 'turn-limit' | 'deferred';
      text?: string | null;
    };

export type Wire = 'openai-responses' | 'openai-chat' | 'anthropic-messages' | 'gemini-generate' | 'text-tags';

export interface Tool {
  name: string;
  description: string;
  /** A JSON Schema. */
  parameters: Record<string, unknown>;
  kind: 'function' | 'output' | 'external' | 'unapproved';
  /** What the tool says to the model beside its result; empty for most. */
  extra: string;
  finishes_after: string | null;
  returns?: unknown;
  raises?: string;
  /**
   * Run the tool. `input` is an object, or the text that the model wrote if the loop does not parse it; `id` is that of
   * the model's call. Throws `ToolRaised` if the tool fails, and the reason of `Case.signal` if the run is cancelled.
   */
  run(input: unknown, id?: string): Promise<unknown>;
}

/** One case: the members of its line, and the ways to report. */
export interface Case {
  case: string;
  persistent: boolean;
  /** The API format to ask in. */
  wire: Wire;
  model: string;
  /** Whether the scripted model thinks before it answers. */
  reasons: boolean;
  /** The endpoint, without `/v1`. */
  base_url: string;
  /** A dummy key. */
  api_key: string;
  prompt: { role: 'system' | 'user'; text: string }[];
  tools: Tool[];
  stream: boolean;
  /** How many model turns to make at most; null: the loop's own limit. */
  turn_limit: number | null;
  profile: string;
  resolve: Record<string, unknown>[];
  caller: Record<string, unknown[]>;
  /** The number of the run in this case, from 1. In all but the first `prompt` is what the user says next. */
  run: number;
  /** For what the loop needs of the runs before: the next run finds it as this one leaves it. JSON. */
  state: Record<string, any>;
  /** Whether this run goes on in another process than the one before. */
  resumed: boolean;
  /** Aborts if the caller cancels the run. How the run ends then is not judged. */
  signal: AbortSignal;
  /** Have `callback` called with each text that the user says while the run goes on. */
  onSay(callback: (text: string) => void): void;
  /** Report an event at the moment at which the loop reports it to its user. After the case it is ignored. */
  emit(event: Event): void;
}

/**
 * Run `loop` on the case, or the cases, of this process. The text that it returns is its answer; what it throws is
 * reported as an `error` event. Resolves when there is no other case.
 */
export function serve(loop: (task: Case) => unknown): Promise<void>;

/** The `error` event for what was thrown: of kind `http`, `stream` or `raised`. */
export function failureOf(error: unknown): Extract<Event, { event: 'error' }>;

/** The tool has failed, as the scenario wants it. The message is what the model should get. */
export class ToolRaised extends Error {}
