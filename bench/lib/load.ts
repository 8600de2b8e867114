import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Summary } from './stats.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadPlan {
  /** Loopback port of the server under load. */
  readonly port: number;
  /** Sent in turn, over all connections, so that tenants or queries can be mixed. At least one. */
  readonly requests: readonly LoadRequest[];
  /** Keep-alive connections, each with one request outstanding: the closed loop's concurrency. */
  readonly connections: number;
  /** Measured time; requests under way at its end are waited for and counted. */
  readonly durationMs: number;
  /** Time before it, whose requests are sent but not counted. Default 0. */
  readonly warmupMs?: number;
  /** Ends the run early after so many counted requests. Default and most: 2,000,000. */
  readonly maxRequests?: number;
  /** A response later than this is an error and its connection is given up. Default 10,000. */
  readonly timeoutMs?: number;
  /** A 2xx response whose body contains this is an error: GraphQL answers 200 to a failed query (`"errors":`). */
  readonly rejectBody?: string;
}

export interface LoadResult {
  /** Counted requests that succeeded. */
  readonly requests: number;
  /** Counted requests that failed, by kind (`status 500`, `timeout`, `rejected body`, `connection`). */
  readonly errors: number;
  readonly errorKinds: Readonly<Record<string, number>>;
  /** Successful responses a second of measured time. */
  readonly rps: number;
  readonly elapsedMs: number;
  readonly latencyMs: Summary;
  /** Size of successful bodies in bytes; an unexpected span means that responses differ. */
  readonly bodyBytes: { readonly min: number; readonly max: number };
  /** One successful body, to be compared with another server's. */
  readonly sample: string;
  /** Wall clock of the first counted request sent, in epoch milliseconds. */
  readonly startedAt: number;
  /** Processor time of the load process, warm-up included, over its wall time: near 1 it measured itself. */
  readonly generatorLoad: number;
}

const defaults = { warmupMs: 0, maxRequests: 2_000_000, timeoutMs: 10_000, rejectBody: '' };

/**
 * Loads a loopback server from a process of its own, so that neither side pays for the other's event loop. A
 * whole run is bounded by `warmupMs + durationMs + timeoutMs`; a load process that outlives it is killed.
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const full: Required<LoadPlan> = { ...defaults, ...plan };
  if (full.requests.length === 0) throw new Error('A load plan needs at least one request.');
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)), {
    env: {},
    serialization: 'advanced',
  });
  const limit = full.warmupMs + full.durationMs + full.timeoutMs + 10_000;
  const guard = setTimeout(() => child.kill('SIGKILL'), limit);
  try {
    return await new Promise<LoadResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as LoadResult));
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`The load process ended without a result (${code ?? signal}).`)),
      );
      child.send(full);
    });
  } finally {
    clearTimeout(guard);
    child.kill();
  }
}
