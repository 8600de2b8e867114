import { randomUUID } from 'node:crypto';
import type { NodeCall, NodeCallFailure, NodeCallOutcome, NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import { callBroker, describeCallError } from './broker.ts';
import type { Broker } from './broker.ts';
import type { RuntimeLimits } from './limits.ts';
import { nodeErrorSchema } from './messages.ts';
import type { ChildMessage, ParentMessage } from './messages.ts';
import { readResult } from './outcome.ts';
import type { NodeFailure } from './outcome.ts';
import { SecretFilter } from './redaction.ts';

const maxCodeChars = 100;

/** A call to the sandbox, with everything that the code may do behind one broker. */
export type Execution = Omit<NodeCall, 'credential' | 'state' | 'files' | 'onLog'> & { broker: Broker };

export type Post = (message: ParentMessage, body?: string) => void;
type ExecutionMessage = Exclude<ChildMessage, { type: 'ready' | 'paused' }>;

/** The parent's side of one execution: it answers the child's calls and turns its messages into an outcome. */
export class ActiveExecution {
  /** Known only to parent and child, so that node code cannot forge it. */
  readonly id = randomUUID();
  readonly execution: Execution;
  readonly inputJson: string;
  readonly timeoutMs: number;
  readonly queuedAt = performance.now();
  readonly outcome: Promise<NodeCallOutcome>;
  ended = false;
  cancelled = false;
  readonly #limits: RuntimeLimits;
  readonly #settle: (outcome: NodeCallOutcome) => void;
  readonly #logs: NodeLogLine[] = [];
  readonly #secrets = new SecretFilter();
  readonly #calls = new AbortController();
  #pendingCalls = 0;
  #callCount = 0;

  constructor(execution: Execution, inputJson: string, limits: RuntimeLimits) {
    this.execution = execution;
    this.inputJson = inputJson;
    this.#limits = limits;
    this.timeoutMs = Math.max(1, Math.min(execution.timeoutMs, limits.maxTimeoutMs));
    const { promise, resolve } = Promise.withResolvers<NodeCallOutcome>();
    this.outcome = promise;
    this.#settle = resolve;
    this.#secrets.learn(execution.secrets ?? []);
  }

  receive(message: ExecutionMessage, body: string, post: Post): void {
    if (this.ended) return;
    switch (message.type) {
      case 'log':
        this.#log(message.level, body);
        break;
      case 'code':
        void this.#sendCode(post);
        break;
      case 'call':
        void this.#call(message.call, message.method, body, post);
        break;
      case 'done':
        this.#finish(body);
        break;
      case 'failed':
        this.fail(message.kind, readError(body));
        break;
    }
  }

  /** Aborts its calls to the broker; the child stops the code itself. */
  cancel(): void {
    this.cancelled = true;
    this.#calls.abort();
  }

  fail(kind: NodeCallFailure, error: NodeFailure): void {
    const failure: NodeFailure = { message: this.#secrets.clean(error.message, this.#limits.maxErrorChars) };
    if (error.code !== undefined) failure.code = this.#secrets.clean(error.code, maxCodeChars);
    if (error.place !== undefined) failure.place = error.place;
    this.#end({ ok: false, kind, error: failure, logs: this.#logs });
  }

  #finish(json: string): void {
    if (json.length > this.#limits.maxOutputChars) {
      this.fail('output_too_large', {
        message: `The result is over ${this.#limits.maxOutputChars} characters of JSON.`,
      });
      return;
    }
    const result = readResult(this.execution.entry, json);
    if (result.ok) this.#end({ ok: true, value: result.value, logs: this.#logs });
    else this.fail('invalid_result', result.error);
  }

  #end(outcome: NodeCallOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.#calls.abort();
    if (this.cancelled && (outcome.ok || outcome.kind !== 'cancelled')) {
      const error = { message: 'The run was cancelled.', code: 'CANCELLED' };
      this.#settle({ ok: false, kind: 'cancelled', error, logs: this.#logs });
    } else this.#settle(outcome);
  }

  #log(level: NodeLogLine['level'], text: string): void {
    const { maxLogLines, maxLogLineChars } = this.#limits;
    if (this.#logs.length > maxLogLines) return;
    const line: NodeLogLine = { level, message: this.#secrets.clean(text, maxLogLineChars) };
    this.#logs.push(line);
    try {
      this.execution.broker.log(line);
    } catch {
      // A listener that throws must not fail the execution; the outcome has the line anyway.
    }
  }

  async #sendCode(post: Post): Promise<void> {
    const { source } = this.execution;
    try {
      const text = await source();
      const found = text.length <= nodeBundleFormat.maxSourceChars;
      post({ type: 'code', id: this.id, found }, found ? text : '');
    } catch {
      post({ type: 'code', id: this.id, found: false });
    }
  }

  async #call(call: string, method: Parameters<typeof callBroker>[1], argument: string, post: Post): Promise<void> {
    const answer = (outcome: 'ok' | 'error', value: unknown): void => {
      if (!this.ended) post({ type: 'reply', id: this.id, call, outcome }, JSON.stringify(value ?? null));
    };
    this.#callCount += 1;
    // The sandbox enforces these limits too; here they hold even against a compromised child.
    if (this.#pendingCalls >= this.#limits.maxPendingCalls || this.#callCount > this.#limits.maxCalls) {
      answer('error', { message: 'Too many calls.', code: 'TOO_MANY_CALLS' });
      return;
    }
    if (argument.length > this.#limits.maxCallChars) {
      answer('error', { message: 'The call is too large.', code: 'CALL_TOO_LARGE' });
      return;
    }
    this.#pendingCalls += 1;
    try {
      const value = await callBroker(this.execution.broker, method, argument, this.#calls.signal);
      if (method === 'credentials.get') this.#secrets.learn(value);
      const json = JSON.stringify(value ?? null);
      if (json.length <= this.#limits.maxCallChars) {
        if (!this.ended) post({ type: 'reply', id: this.id, call, outcome: 'ok' }, json);
      } else
        answer('error', {
          message: `The answer is over ${this.#limits.maxCallChars} characters.`,
          code: 'ANSWER_TOO_LARGE',
        });
    } catch (error) {
      const described = describeCallError(error);
      answer('error', { ...described, message: described.message.slice(0, this.#limits.maxErrorChars) });
    } finally {
      this.#pendingCalls -= 1;
    }
  }
}

/** The first place of the node's own code in a stack. The stack is not trusted, because the code may have set it itself. */
function findPlace(stack: string): NodeFailure['place'] {
  const [, line, column] = /\bnode\.js:(\d{1,7}):(\d{1,7})/.exec(stack) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

function readError(json: string): NodeFailure {
  try {
    const { stack = '', ...error } = nodeErrorSchema.parse(JSON.parse(json));
    const place = findPlace(stack);
    return { ...error, ...(place && { place }) };
  } catch {
    return { message: 'The node failed without a readable error.' };
  }
}
