import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '#src/infra/errors.ts';
import type { Described, DescribeOrder, DescribeReport } from './describe-order.ts';

/**
 * Reads descriptions in a separate process, so that a large or hostile one does not block this process. A thread is not enough: when
 * `JSON.parse` exceeds a thread's memory, V8 aborts the whole process.
 */
export interface DescriptionReader {
  /** Throws UNPROCESSABLE for a description that cannot be read within the limits, and UNAVAILABLE if too many are being read. */
  read(order: DescribeOrder): Promise<Described>;
  close(): Promise<void>;
}

const childFile = fileURLToPath(new URL('./describe-child.ts', import.meta.url));

/** `memoryMb` limits the heap. `waiting` limits how many descriptions may be read or wait at a time. */
export const describeLimits = { timeoutMs: 60_000, memoryMb: 768, waiting: 10 };
type Limits = typeof describeLimits;

/** Reads one description at a time: others wait. */
export function createDescriptionReader(limits: Limits = describeLimits): DescriptionReader {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;
  let child: ChildProcess | undefined;

  const readNow = (order: DescribeOrder): Promise<Described> => {
    if (isClosed) throw new AppError('UNAVAILABLE', 'The server is stopping. Try again.');
    child = startChild(limits);
    return readIn(child, order, limits);
  };

  return {
    async read(order) {
      if (waiting >= limits.waiting)
        throw new AppError('UNAVAILABLE', 'Too many descriptions are being read. Try again in a minute.');
      waiting += 1;
      const mine = last.then(() => readNow(order));
      last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        waiting -= 1;
      }
    },
    async close() {
      isClosed = true;
      child?.kill('SIGKILL');
      await last;
    },
  };
}

const startChild = ({ memoryMb }: Limits): ChildProcess =>
  fork(childFile, [], {
    env: {},
    execArgv: [`--max-old-space-size=${memoryMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

/** Resolves when the child has ended. */
async function readIn(child: ChildProcess, order: DescribeOrder, { timeoutMs, memoryMb }: Limits): Promise<Described> {
  let report: DescribeReport | undefined;
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  child.once('message', (message) => (report = message as DescribeReport));
  // If the child has already ended, sending fails, and the exit of the child reports the failure.
  child.send(order, () => undefined);
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_code, by) => resolve(by));
  }).finally(() => clearTimeout(late));
  if (report?.ok === true) return report.described;
  if (report && 'bug' in report) throw new Error(`A description could not be read: ${report.bug}`);
  if (report) throw new AppError('UNPROCESSABLE', report.message);
  if (isLate) throw unprocessable(`takes more than ${timeoutMs / 1_000} s to read`);
  // V8 aborts a process whose heap is full.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') throw unprocessable(`takes more than ${memoryMb} MiB of memory`);
  throw new AppError('UNAVAILABLE', 'Reading the description was interrupted. Try again.');
}

const unprocessable = (fault: string): AppError =>
  new AppError('UNPROCESSABLE', `The description ${fault}. Cut out the part that you need.`);
