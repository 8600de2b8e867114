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
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Many times the need of the worst fragment of 256 KiB. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

const maxWaiting = 200;
const lookEveryMs = 100;

interface Job {
  order: Order;
  settle: (outcome: Buffer | Error) => void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  job: Job | null;
  watch: NodeJS.Timeout | undefined;
}

/**
 * Small fragments are sanitised directly, as are larger ones before the first thread has started; others by at most `threads` threads,
 * which start on demand. A thread that takes more than `limitMs` of processor time for a fragment is ended, and the fragment refused. A
 * vendor uses one thread at a time, so that none blocks them all.
 */
export function createSanitiser({ threads: most = 2, limitMs = 1_000 } = {}): Sanitiser {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];

  function openThread(): Thread {
    const worker = new Worker(threadCode, { env: {}, execArgv: [], resourceLimits });
    worker.unref();
    const thread: Thread = { worker, isReady: false, job: null, watch: undefined };
    worker.on('message', (report: Report) => {
      if (report === 'ready') {
        thread.isReady = true;
        begin(thread);
      } else finish(thread, report === null ? new TooDeepError() : bytesOf(report));
    });
    worker.on('error', (error) => {
      const isTooMuch = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      lose(thread, isTooMuch ? new TooSlowError({ isHeavy: true }) : new UnreadableError(error));
    });
    threads.add(thread);
    return thread;
  }

  function begin(thread: Thread): void {
    const { worker, isReady, job } = thread;
    if (!isReady || !job) return;
    // Its processor time, because a busy machine may let it wait. The start of the thread is not counted.
    const before = worker.cpuUsage();
    thread.watch = setInterval(() => {
      // A thread that has ended by itself is reported by its 'error' event.
      usedMs(worker, before).then(
        (used) => {
          if (used > limitMs && thread.job === job) end(thread);
        },
        () => undefined,
      );
    }, lookEveryMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
    worker.postMessage(job.order);
  }

  function end(thread: Thread): void {
    void thread.worker.terminate();
    lose(thread, new TooSlowError({ isHeavy: true }));
  }

  function finish(thread: Thread, outcome: Buffer | Error): void {
    clearInterval(thread.watch);
    const { job } = thread;
    thread.job = null;
    job?.settle(outcome);
    next();
  }

  function lose(thread: Thread, error: Error): void {
    threads.delete(thread);
    finish(thread, error);
  }

  function next(): void {
    for (;;) {
      const busy = new Set([...threads].map(({ job }) => job?.order.site.vendor));
      const at = waiting.findIndex(({ order }) => !busy.has(order.site.vendor));
      const job = waiting[at];
      if (!job) return;
      const idle = [...threads].find((thread) => thread.job === null);
      if (!idle && threads.size >= most) return;
      waiting.splice(at, 1);
      const thread = idle ?? openThread();
      thread.job = job;
      begin(thread);
    }
  }

  function enqueue(order: Order, until: number): Promise<Buffer> {
    if (waiting.length >= maxWaiting) return Promise.reject(new TooSlowError({ isHeavy: false }));
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
          const at = waiting.indexOf(job);
          if (at >= 0) waiting.splice(at, 1);
          reject(new TooSlowError({ isHeavy: false }));
        },
        Math.max(0, until - performance.now()),
      );
      waiting.push(job);
      next();
    });
  }

  return {
    async sanitise(html, site, until) {
      const order = { html, site };
      if (html.length <= inlineChars) return atOnce(order);
      const isCold = ![...threads].some(({ isReady }) => isReady);
      if (!isCold || html.length > coldChars) return enqueue(order, until);
      if (threads.size === 0) openThread();
      return atOnce(order);
    },
    async close() {
      for (const { settle } of waiting.splice(0)) settle(new TooSlowError({ isHeavy: false }));
      const ended = [...threads].map(({ worker }) => worker.terminate());
      for (const thread of threads) lose(thread, new TooSlowError({ isHeavy: false }));
      await Promise.all(ended);
    },
  };
}

let library: typeof import('./sanitise-fragment.ts') | undefined;

async function atOnce({ html, site }: Order): Promise<Buffer> {
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
