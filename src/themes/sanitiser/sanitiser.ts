import { Worker } from 'node:worker_threads';
import type { Site } from './attributes.ts';
import type { Order, Report } from './sanitise-thread.ts';
import { TooDeepError } from './too-deep-error.ts';

/** Sanitises fragments without blocking the process, whatever they contain. */
export interface Sanitiser {
  /** The fragment in UTF-8, by `until` (of `performance.now()`). Throws a TooDeepError, a TooSlowError or an UnreadableError. */
  sanitise(html: string, site: Site, until: number): Promise<Buffer>;
  /** Ends the threads; their unfinished fragments are refused. */
  close(): Promise<void>;
}

/** The fragment was not sanitised in time. */
export class TooSlowError extends Error {
  /** True if the fragment itself took too long, not only those before it. */
  readonly isHeavy: boolean;

  constructor({ isHeavy }: { isHeavy: boolean }) {
    super(
      isHeavy ? 'Sanitising the fragment takes too long. Make it simpler.' : 'Too many fragments wait to be sanitised.',
    );
    this.name = 'TooSlowError';
    this.isHeavy = isHeavy;
  }
}

/** Sanitising the fragment failed because of a bug. */
export class UnreadableError extends Error {
  constructor(cause: unknown) {
    super('The fragment cannot be sanitised.', { cause });
    this.name = 'UnreadableError';
  }
}

/** The worst fragment of this length takes 7 ms of processor time, and 12 if it is read twice; one of 256 KiB takes half a second. */
const inlineChars = 6 * 1024;
/** The same before a thread has started, which takes seconds on a busy machine; the worst fragment takes 50 ms. */
const coldChars = 32 * 1024;

const threadCode = new URL('./sanitise-thread.ts', import.meta.url);
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Many times the need of the worst fragment of 256 KiB. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

const maxWaiting = 200;
const lookEveryMs = 100;

interface Job {
  order: Order;
  settle: (outcome: Buffer | Error) => void;
}

/**
 * Small fragments are sanitised directly, as are larger ones before the first thread has started; others by at most `threads` threads,
 * which start on demand. A thread that takes more than `limitMs` of processor time for a fragment is ended, and the fragment refused. A
 * vendor uses one thread at a time, so that none blocks them all.
 */
export const createSanitiser = ({ threads = 2, limitMs = 1_000 } = {}): Sanitiser =>
  new ThreadedSanitiser(threads, limitMs);

class ThreadedSanitiser implements Sanitiser {
  readonly #maxThreads: number;
  readonly #limitMs: number;
  readonly #threads = new Set<SanitiserThread>();
  readonly #waiting: Job[] = [];

  constructor(maxThreads: number, limitMs: number) {
    this.#maxThreads = maxThreads;
    this.#limitMs = limitMs;
  }

  async sanitise(html: string, site: Site, until: number): Promise<Buffer> {
    const order = { html, site };
    if (html.length <= inlineChars) return sanitiseHere(order);
    const isCold = ![...this.#threads].some(({ isReady }) => isReady);
    if (!isCold || html.length > coldChars) return this.#enqueue(order, until);
    if (this.#threads.size === 0) this.#startThread();
    return sanitiseHere(order);
  }

  async close(): Promise<void> {
    for (const { settle } of this.#waiting.splice(0)) settle(new TooSlowError({ isHeavy: false }));
    const threads = [...this.#threads];
    const ended = threads.map((thread) => thread.terminate());
    for (const thread of threads) thread.fail(new TooSlowError({ isHeavy: false }));
    await Promise.all(ended);
  }

  #enqueue(order: Order, until: number): Promise<Buffer> {
    if (this.#waiting.length >= maxWaiting) return Promise.reject(new TooSlowError({ isHeavy: false }));
    return new Promise((resolve, reject) => {
      const job: Job = {
        order,
        settle(outcome) {
          clearTimeout(late);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        },
      };
      // A fragment that a thread has begun may finish within the limit of the thread.
      const late = setTimeout(
        () => {
          const at = this.#waiting.indexOf(job);
          if (at >= 0) this.#waiting.splice(at, 1);
          reject(new TooSlowError({ isHeavy: false }));
        },
        Math.max(0, until - performance.now()),
      );
      this.#waiting.push(job);
      this.#assign();
    });
  }

  /** Gives waiting fragments to idle threads. */
  #assign(): void {
    for (;;) {
      const busy = new Set([...this.#threads].map(({ job }) => job?.order.site.vendor));
      const at = this.#waiting.findIndex(({ order }) => !busy.has(order.site.vendor));
      const job = this.#waiting[at];
      if (!job) return;
      const idle = [...this.#threads].find((thread) => thread.job === null);
      if (!idle && this.#threads.size >= this.#maxThreads) return;
      this.#waiting.splice(at, 1);
      (idle ?? this.#startThread()).take(job);
    }
  }

  #startThread(): SanitiserThread {
    const thread = new SanitiserThread(this.#limitMs, {
      onIdle: () => this.#assign(),
      onEnd: () => this.#threads.delete(thread),
    });
    this.#threads.add(thread);
    return thread;
  }
}

interface ThreadEvents {
  /** Called when it has no fragment any more; after `onEnd` if it ended. */
  onIdle: () => void;
  onEnd: () => void;
}

/** A thread that sanitises one fragment at a time. */
class SanitiserThread {
  readonly #worker = new Worker(threadCode, { env: {}, execArgv: [], resourceLimits });
  readonly #limitMs: number;
  readonly #events: ThreadEvents;
  #isReady = false;
  #job: Job | null = null;
  #watch: NodeJS.Timeout | undefined;

  constructor(limitMs: number, events: ThreadEvents) {
    this.#limitMs = limitMs;
    this.#events = events;
    this.#worker.unref();
    this.#worker.on('message', (report: Report) => {
      if (report === 'ready') {
        this.#isReady = true;
        this.#begin();
      } else this.#finish(report === null ? new TooDeepError() : toBuffer(report));
    });
    this.#worker.on('error', (error) => {
      const isTooMuch = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.fail(isTooMuch ? new TooSlowError({ isHeavy: true }) : new UnreadableError(error));
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get job(): Job | null {
    return this.#job;
  }

  take(job: Job): void {
    this.#job = job;
    this.#begin();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Gives up the thread, and refuses the fragment that it has. */
  fail(error: Error): void {
    this.#events.onEnd();
    this.#finish(error);
  }

  /** Sends the fragment to the thread once both are there. */
  #begin(): void {
    const job = this.#job;
    if (!this.#isReady || !job) return;
    // Its processor time, because a busy machine may let it wait. The start of the thread is not counted.
    const before = this.#worker.cpuUsage();
    this.#watch = setInterval(() => {
      // A thread that has ended by itself is reported by its 'error' event.
      usedMs(this.#worker, before).then(
        (used) => {
          if (used > this.#limitMs && this.#job === job) this.#kill();
        },
        () => undefined,
      );
    }, lookEveryMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
    this.#worker.postMessage(job.order);
  }

  #kill(): void {
    void this.terminate();
    this.fail(new TooSlowError({ isHeavy: true }));
  }

  #finish(outcome: Buffer | Error): void {
    clearInterval(this.#watch);
    const job = this.#job;
    this.#job = null;
    job?.settle(outcome);
    this.#events.onIdle();
  }
}

let library: typeof import('./sanitise-fragment.ts') | undefined;

async function sanitiseHere({ html, site }: Order): Promise<Buffer> {
  // The library is imported on demand: no worker sanitises, and an API can start without it. Importing it each time took 40 µs.
  library ??= await import('./sanitise-fragment.ts');
  try {
    return Buffer.from(library.sanitiseFragment(html, site));
  } catch (error) {
    throw error instanceof TooDeepError ? error : new UnreadableError(error);
  }
}

async function usedMs(worker: Worker, before: Promise<NodeJS.CpuUsage>): Promise<number> {
  const { user, system } = await worker.cpuUsage(await before);
  return (user + system) / 1_000;
}
