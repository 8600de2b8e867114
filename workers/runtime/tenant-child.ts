import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { NodeCallFailure } from '#src/automation/node-api/node-runtime.ts';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import type { ActiveExecution } from './active-execution.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import type { RuntimeLimits } from './limits.ts';
import { childMessageSchema } from './messages.ts';
import type { ChildMessage, ChildOptions, ParentMessage } from './messages.ts';
import type { NodeFailure } from './outcome.ts';
import { killNow, programPid } from './program-pid.ts';
import { program } from './program.ts';

const maxStderrChars = 4096;

export type ChildEvents = {
  onReady(): void;
  /** One of its executions ended. */
  onEnded(): void;
  onExit(exit: ChildExit): void;
};

/**
 * `stderr` is the beginning of what V8 printed when it aborted; `fault` is why the parent stopped it. Some versions of `unshare` exit
 * with 1 for any signal.
 */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null; stderr?: string; fault?: string };

/** One child process and its executions. Its messages are parsed and bounded; when it dies, only its own executions fail. */
export class TenantChild {
  /** When it was first ready; starting may take longer than a whole tenure. */
  readySince = Number.POSITIVE_INFINITY;
  lastUsed = performance.now();
  ready = false;
  gone = false;
  /** Takes no new work, because another tenant waits for its place. */
  draining = false;
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #events: ChildEvents;
  readonly #limits: RuntimeLimits;
  readonly #active = new Map<string, { active: ActiveExecution; watchdog: NodeJS.Timeout; stopWatching: () => void }>();
  readonly #startTimer: NodeJS.Timeout;
  #programPid: number | undefined;
  #stderr = '';
  #fault: string | undefined;

  constructor(prefix: string[], limits: RuntimeLimits, events: ChildEvents) {
    this.#events = events;
    this.#limits = limits;
    // A line of text can take three bytes per UTF-16 unit; the rest is headers.
    const { maxInputChars, maxOutputChars, maxCallChars } = limits;
    const maxBodyChars = Math.max(maxInputChars, maxOutputChars, maxCallChars, nodeBundleFormat.maxSourceChars);
    const maxFrameBytes = 3 * maxBodyChars + 4096;
    const [file = process.execPath, ...args] = [...prefix, ...program];
    this.#process = spawn(file, [...args, JSON.stringify(childOptions(limits, maxFrameBytes))], {
      env: {},
      cwd: '/',
      stdio: 'pipe',
      // A session of its own: a terminal's Ctrl-C does not reach it, and Linux shares the processor by session.
      detached: true,
    });

    const { promise, resolve } = Promise.withResolvers<void>();
    this.exited = promise;
    this.#process.on('error', (error) => this.#onGone(resolve, { code: null, signal: null, stderr: error.message }));
    this.#process.on('exit', (code, signal) => {
      const told = this.#fault === undefined ? { stderr: this.#stderr } : { fault: this.#fault };
      this.#onGone(resolve, { code, signal, ...told });
    });
    this.#process.stdin?.on('error', () => this.kill());
    this.#process.stdout?.on('error', () => this.kill());
    const read = createFrameReader(maxFrameBytes, (header, body) => this.#receive(header, body));
    this.#process.stdout?.on('data', (chunk: Buffer) => {
      try {
        if (!this.gone) read(chunk);
      } catch {
        // Not a frame, or not a message: the child is compromised.
        this.kill();
      }
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, maxStderrChars);
    });
    this.#startTimer = setTimeout(() => this.#giveUpStart(), limits.startTimeoutMs);
  }

  /** The pid of the program itself, once it is ready. */
  get pid(): number | undefined {
    return this.#programPid ?? this.#process.pid;
  }

  get inFlight(): number {
    return this.#active.size;
  }

  run(active: ActiveExecution): void {
    this.lastUsed = performance.now();
    const { execution, id, timeoutMs } = active;
    const onAbort = (): void => {
      active.cancel();
      this.#post({ type: 'cancel', id });
      this.#watch(id, this.#limits.cancelGraceMs + this.#limits.answerGraceMs);
    };
    const stopWatching = (): void => execution.signal?.removeEventListener('abort', onAbort);
    execution.signal?.addEventListener('abort', onAbort, { once: true });
    this.#active.set(id, {
      active,
      watchdog: this.#giveUpAfter(id, timeoutMs + this.#limits.answerGraceMs),
      stopWatching,
    });
    this.#post({ type: 'execute', id, hash: execution.codeHash, entry: execution.entry, timeoutMs }, active.inputJson);
  }

  /** Ends the child when its isolates together use too much memory. It reads /proc, so it works on Linux only. */
  checkMemory(): void {
    const residentMiB = residentMemoryMiB(this.pid);
    if (residentMiB <= this.#limits.childMemoryMiB) return;
    const message = `The tenant's nodes together used more than ${this.#limits.childMemoryMiB} MiB of memory.`;
    this.abandon('memory', { message, code: 'MEMORY_LIMIT' });
  }

  /** Fails all of its executions with the error, and kills the process. */
  abandon(kind: NodeCallFailure, error: NodeFailure): void {
    for (const [id, { active }] of this.#active) {
      active.fail(kind, error);
      this.#forget(id);
    }
    this.kill();
  }

  kill(): void {
    this.ready = false;
    const { pid } = this.#process;
    if (!this.gone && pid !== undefined) killNow(this.#programPid ?? programPid(pid));
  }

  #post = (message: ParentMessage, body?: string): void => {
    if (!this.gone) this.#process.stdin?.write(encodeFrame(message, body));
  };

  #receive(header: string, body: string): void {
    const message: ChildMessage = childMessageSchema.parse(JSON.parse(header));
    if (message.type === 'ready') {
      if (this.#programPid === undefined) this.#onStarted();
      this.ready = true;
      this.readySince = Math.min(this.readySince, performance.now());
      this.#events.onReady();
      return;
    }
    if (message.type === 'paused') {
      this.ready = false;
      return;
    }
    // An unknown execution has ended; its last messages may still arrive.
    const entry = this.#active.get(message.id);
    if (entry === undefined) return;
    entry.active.receive(message, body, this.#post);
    if (entry.active.ended) {
      this.#forget(message.id);
      this.#events.onEnded();
    }
  }

  /** Sets a fault of its own: the output of a killed child is about the signal that ended it, and would mislead. */
  #giveUpStart(): void {
    this.#fault = `It did not start within ${this.#limits.startTimeoutMs / 1000} s and was stopped. The host may be too busy.`;
    this.kill();
  }

  #onStarted(): void {
    clearTimeout(this.#startTimer);
    const { pid } = this.#process;
    if (pid === undefined) return;
    this.#programPid = programPid(pid);
    offerToOomKiller(this.#programPid);
  }

  #giveUpAfter(id: string, milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#active.get(id)?.active.fail('timeout', { message: 'The node did not stop in time.' });
      this.kill();
    }, milliseconds);
  }

  #watch(id: string, milliseconds: number): void {
    const entry = this.#active.get(id);
    if (entry === undefined) return;
    clearTimeout(entry.watchdog);
    entry.watchdog = this.#giveUpAfter(id, milliseconds);
  }

  #forget(id: string): void {
    const entry = this.#active.get(id);
    clearTimeout(entry?.watchdog);
    entry?.stopWatching();
    this.#active.delete(id);
    this.lastUsed = performance.now();
  }

  #onGone(resolve: () => void, exit: ChildExit): void {
    if (this.gone) return;
    this.gone = true;
    clearTimeout(this.#startTimer);
    const message = 'The node runtime process ended during the execution.';
    this.abandon('crashed', { message, code: 'RUNTIME_CRASHED' });
    this.#events.onExit(exit);
    resolve();
  }
}

const pageMiB = 4096 / 1024 / 1024;

function residentMemoryMiB(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageMiB;
  } catch {
    return 0;
  }
}

/** When the host runs out of memory, the kernel then kills this process before any that holds state. */
function offerToOomKiller(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Not Linux, or gone already.
  }
}

function childOptions(limits: RuntimeLimits, maxFrameBytes: number): ChildOptions {
  return {
    realm: {
      logLines: limits.maxLogLines,
      logLineChars: limits.maxLogLineChars,
      errorChars: limits.maxErrorChars,
      outputChars: limits.maxOutputChars,
      pendingCalls: limits.maxPendingCalls,
      calls: limits.maxCalls,
      callChars: limits.maxCallChars,
      timers: limits.maxTimers,
    },
    memoryMiB: limits.memoryMiB,
    maxCpuMs: limits.maxCpuMs,
    cancelGraceMs: limits.cancelGraceMs,
    maxFrameBytes,
    maxIdleIsolates: limits.maxIdleIsolates,
    idleIsolateMs: limits.idleIsolateMs,
    maxExecutionsPerIsolate: limits.maxExecutionsPerIsolate,
  };
}
