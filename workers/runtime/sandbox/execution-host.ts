import type { NodeCallFailure } from '#src/automation/node-api/node-runtime.ts';
import { callMethods } from '#workers/runtime/call-methods.ts';
import type { ChildMessage, ChildOptions, ParentMessage } from '#workers/runtime/messages.ts';
import { WarmIsolate } from './warm-isolate.ts';
import type { CompiledCode, Message, Slot } from './warm-isolate.ts';

type Send = (message: ChildMessage, body?: string) => void;
type Execute = Extract<ParentMessage, { type: 'execute' }>;

type Stop = { kind: NodeCallFailure; message: string; code: string };

type Running = {
  request: Execute;
  input: string;
  warm: WarmIsolate | undefined;
  slot: Slot | undefined;
  cpuAtStart: bigint;
  deadline: NodeJS.Timeout | undefined;
  timers: Set<NodeJS.Timeout>;
  /** Calls into the isolate that have not returned. */
  entered: number;
  overLimit: boolean;
  /** Why the code is being stopped. */
  stopped: Stop | undefined;
  ended: boolean;
  answer: (() => void) | undefined;
};

const checkMs = 50;
/** How long code may survive its isolate. V8 occasionally misses a request to stop, mostly when memory runs out. */
const survivalMs = 250;
const settleMs = 100;
const timeoutGraceMs = 50;
const cancelled: Stop = { kind: 'cancelled', message: 'The run was cancelled.', code: 'CANCELLED' };
const maxCodes = 64;
const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Runs executions in warm isolates. Every entry into an isolate is asynchronous, so this process always answers. An execution is
 * stopped by disposing of its isolate, which ends loops, microtasks and allocation alike.
 */
export class ExecutionHost {
  readonly #options: ChildOptions;
  readonly #send: Send;
  readonly #running = new Map<string, Running>();
  readonly #codes = new Map<string, CompiledCode>();
  readonly #codeRequests = new Map<string, (source: string | undefined) => void>();
  readonly #codePending = new Map<string, Promise<CompiledCode | undefined>>();
  #idle: WarmIsolate[] = [];
  readonly #leaving = new Set<Running>();

  constructor(options: ChildOptions, send: Send) {
    this.#options = options;
    this.#send = send;
    setInterval(() => this.#check(), checkMs).unref();
  }

  receive(message: ParentMessage, body: string): void {
    if (message.type === 'execute') {
      void this.#execute(message, body);
      return;
    }
    if (message.type === 'code') {
      this.#codeRequests.get(message.id)?.(message.found ? body : undefined);
      this.#codeRequests.delete(message.id);
      return;
    }
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    if (message.type === 'reply') this.#enter(running, 'reply', message.call, message.outcome, body);
    else this.#stopSoon(running, cancelled, this.#options.cancelGraceMs);
  }

  async #execute(request: Execute, input: string): Promise<void> {
    const running: Running = {
      request,
      input,
      warm: undefined,
      slot: undefined,
      cpuAtStart: 0n,
      deadline: undefined,
      timers: new Set(),
      entered: 0,
      overLimit: false,
      stopped: undefined,
      ended: false,
      answer: undefined,
    };
    this.#running.set(request.id, running);
    const message = `The node did not finish in ${request.timeoutMs} ms.`;
    running.deadline = setTimeout(() => {
      this.#stopSoon(running, { kind: 'timeout', message, code: 'TIMEOUT' }, timeoutGraceMs);
    }, request.timeoutMs);

    try {
      const warm = this.#takeIdle(request.hash) ?? (await this.#createIsolate(running));
      if (warm === undefined || running.ended) {
        if (warm !== undefined) this.#giveBack(warm);
        return;
      }
      running.warm = warm;
      warm.onCatastrophe = () => {
        this.#die();
        this.#failMemory(running);
      };
      running.cpuAtStart = warm.isolate.cpuTime;
      warm.executions += 1;
      running.entered += 1;
      running.slot = await warm.takeSlot();
      running.entered -= 1;
    } catch (error) {
      this.#failWith(running, error);
      if (running.warm !== undefined) this.#leave(running);
      return;
    }
    if (running.ended) {
      running.warm.dispose();
      this.#hasLeft(running);
      return;
    }
    const { slot } = running;
    for (const message of slot.early) this.#handleMessage(running, message);
    slot.early = [];
    slot.onMessage = (message) => this.#handleMessage(running, message);
    this.#enter(running, 'start', request.entry, input);
    running.input = '';
  }

  /** Calls into the isolate. It rejects when the node left a rejected promise unhandled, and when the isolate ends. */
  #enter(running: Running, kind: string, a = '', b = '', c = ''): void {
    const { slot } = running;
    if (slot === undefined || running.ended) return;
    running.entered += 1;
    slot.dispatch(kind, a, b, c).then(
      () => this.#leave(running),
      (error: unknown) => {
        if (running.warm?.isolate.isDisposed === true) this.#failWith(running, error);
        else if (!running.ended)
          this.#handleMessage(running, {
            kind: 'log',
            a: 'warn',
            b: `Unhandled rejection: ${errorMessage(error)}`,
            c: '',
          });
        this.#leave(running);
      },
    );
  }

  #leave(running: Running): void {
    running.entered -= 1;
    if (!running.ended || running.entered > 0) return;
    this.#hasLeft(running);
    this.#recycle(running);
  }

  #handleMessage(running: Running, { kind, a, b, c }: Message): void {
    if (running.ended) return;
    const { id } = running.request;
    if (kind === 'log') {
      const level = logLevels.find((known) => known === a);
      if (level !== undefined) this.#send({ type: 'log', id, level }, b);
    } else if (kind === 'call') {
      const method = callMethods.find((known) => known === b);
      if (method !== undefined) this.#send({ type: 'call', id, call: a, method }, c);
    } else if (kind === 'timer') {
      const timer = setTimeout(
        () => {
          running.timers.delete(timer);
          this.#enter(running, 'timer', a);
        },
        Math.min(Number(b) || 0, running.request.timeoutMs),
      );
      running.timers.add(timer);
    } else if ((kind === 'done' || kind === 'failed') && running.stopped !== undefined) {
      const { kind: reason, message, code } = running.stopped;
      this.#fail(running, reason, message, code);
    } else if (kind === 'done') {
      this.#end(running, () => this.#send({ type: 'done', id }, a));
    } else if (kind === 'failed') {
      const failure = a === 'invalid_result' || a === 'output_too_large' ? a : 'threw';
      this.#end(running, () => this.#send({ type: 'failed', id, kind: failure }, b));
    }
  }

  /** Aborts `ctx.signal`, and stops code that has not ended after `graceMs`. The outcome is the reason in both cases. */
  #stopSoon(running: Running, reason: Stop, graceMs: number): void {
    if (running.slot === undefined) {
      this.#stop(running, reason);
      return;
    }
    running.stopped = reason;
    this.#enter(running, 'abort', reason.message, reason.code);
    running.timers.add(setTimeout(() => this.#stop(running, reason), graceMs));
  }

  #stop(running: Running, reason: Stop): void {
    if (running.ended) return;
    running.warm?.dispose();
    this.#fail(running, reason.kind, reason.message, reason.code);
  }

  /** Fails an execution whose isolate ended or whose code did not load. */
  #failWith(running: Running, error: unknown): void {
    if (running.ended) return;
    const message = errorMessage(error);
    // isolated-vm throws the same class for all ends of an isolate, without a code.
    if (/memory limit/i.test(message)) {
      running.warm?.dispose();
      this.#failMemory(running);
    } else if (running.warm?.isolate.isDisposed === true) {
      this.#fail(running, 'crashed', 'The node stopped its isolate.');
    } else {
      running.warm?.dispose();
      this.#fail(running, 'threw', `The node's code did not load: ${message}`, 'LOAD_FAILED');
    }
  }

  #failMemory(running: Running): void {
    this.#fail(running, 'memory', `The node used more than ${this.#options.memoryMiB} MiB of memory.`, 'MEMORY_LIMIT');
  }

  #fail(running: Running, kind: NodeCallFailure, message: string, code?: string): void {
    if (running.ended) return;
    const { id } = running.request;
    this.#end(running, () => this.#send({ type: 'failed', id, kind }, JSON.stringify({ message, code })));
  }

  /**
   * The answer is sent once the code has left the isolate, so that the isolate is free when the answer arrives. Code
   * that keeps running after it posted its result gets a moment, then its isolate is disposed of.
   */
  #end(running: Running, answer: () => void): void {
    running.ended = true;
    clearTimeout(running.deadline);
    for (const timer of running.timers) clearTimeout(timer);
    running.timers.clear();
    if (running.slot !== undefined) running.slot.onMessage = undefined;
    running.answer = answer;
    if (running.warm === undefined || running.warm.isolate.isDisposed || running.entered === 0) this.#recycle(running);
    else running.deadline = setTimeout(() => this.#recycle(running), settleMs);
  }

  #recycle(running: Running): void {
    if (!this.#running.delete(running.request.id)) return;
    clearTimeout(running.deadline);
    const { warm, slot } = running;
    if (warm !== undefined && !warm.isolate.isDisposed) {
      slot?.release();
      if (running.entered > 0 || warm.executions >= this.#options.maxExecutionsPerIsolate) warm.dispose();
      else this.#giveBack(warm);
    }
    if (running.entered > 0) this.#awaitLeaving(running);
    running.answer?.();
  }

  /** Takes no new work while code keeps running in a disposed isolate; exits when that code does not stop. */
  #awaitLeaving(running: Running): void {
    this.#send({ type: 'paused' });
    this.#leaving.add(running);
    running.deadline = setTimeout(() => this.#die(), survivalMs);
  }

  #hasLeft(running: Running): void {
    if (!this.#leaving.delete(running)) return;
    clearTimeout(running.deadline);
    if (this.#leaving.size === 0) this.#send({ type: 'ready' });
  }

  #giveBack(warm: WarmIsolate): void {
    warm.onCatastrophe = () => this.#die();
    warm.idleSince = performance.now();
    warm.prepare();
    this.#idle = [...this.#idle.filter((other) => !other.isolate.isDisposed), warm];
    if (this.#idle.length > this.#options.maxIdleIsolates) this.#idle.shift()?.dispose();
  }

  #takeIdle(hash: string): WarmIsolate | undefined {
    // The most recently used first, so that the others can age out, unless its next context is still being made.
    const fits = (warm: WarmIsolate): boolean => warm.hash === hash && !warm.isolate.isDisposed;
    const ready = this.#idle.findLastIndex((warm) => fits(warm) && warm.isPrepared);
    const at = ready < 0 ? this.#idle.findLastIndex(fits) : ready;
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0];
  }

  async #createIsolate(running: Running): Promise<WarmIsolate | undefined> {
    const code = await this.#codeFor(running);
    if (code === undefined || running.ended) {
      this.#fail(running, 'unavailable', "The node's code could not be loaded.", 'CODE_UNAVAILABLE');
      return undefined;
    }
    return new WarmIsolate(running.request.hash, code, this.#options.memoryMiB, this.#options.realm);
  }

  async #codeFor(running: Running): Promise<CompiledCode | undefined> {
    const { hash, id } = running.request;
    const known = this.#codes.get(hash);
    if (known !== undefined) {
      this.#codes.delete(hash);
      this.#codes.set(hash, known);
      return known;
    }
    const pending = this.#codePending.get(hash);
    if (pending !== undefined) return pending;
    const requested = new Promise<string | undefined>((resolve) => this.#codeRequests.set(id, resolve)).then(
      (source) => {
        this.#codePending.delete(hash);
        if (source === undefined) return undefined;
        const code: CompiledCode = { source, cache: undefined };
        this.#codes.set(hash, code);
        const oldest = this.#codes.keys().next();
        if (this.#codes.size > maxCodes && oldest.done !== true) this.#codes.delete(oldest.value);
        return code;
      },
    );
    this.#codePending.set(hash, requested);
    this.#send({ type: 'code', id });
    return requested;
  }

  /** isolated-vm requires that the process exits when V8 has lost an isolate; the parent starts another. */
  #die(): void {
    this.#send({ type: 'paused' });
    setImmediate(() => process.abort());
  }

  #check(): void {
    const oldest = performance.now() - this.#options.idleIsolateMs;
    while (this.#idle[0] !== undefined && this.#idle[0].idleSince < oldest) this.#idle.shift()?.dispose();
    for (const running of this.#running.values()) {
      if (running.ended || running.warm === undefined) continue;
      if (running.warm.isolate.isDisposed) {
        // Over its memory limit. If the code still runs at the next check, only the end of the process stops it.
        if (running.overLimit) this.#failMemory(running);
        running.overLimit = true;
        continue;
      }
      const isolateMs = Number(running.warm.isolate.cpuTime - running.cpuAtStart) / 1e6;
      const usedMs = isolateMs + (running.slot?.hostMs ?? 0);
      if (usedMs > this.#options.maxCpuMs) {
        const message = `The node used more than ${this.#options.maxCpuMs} ms of processor time.`;
        this.#stop(running, { kind: 'timeout', message, code: 'CPU_LIMIT' });
      }
    }
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
