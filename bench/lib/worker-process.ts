import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startFlags } from './start-script.ts';

export interface WorkerProcess {
  readonly pid: number;
  stop(): Promise<void>;
}

const readyLimitMs = 30_000;

/** Starts the product's worker process, as ROLE=worker does. `nodeFlags` go to its Node as well (`--cpu-prof`). */
export async function startWorkerProcess(options: {
  databaseUrl: string;
  env?: Readonly<Record<string, string>>;
  nodeFlags?: readonly string[];
  /** The port on which the worker serves its metrics. A worker that an API starts serves none. */
  metricsPort?: number;
}): Promise<WorkerProcess> {
  const { metricsPort } = options;
  const module = metricsPort === undefined ? '../../workers/main.ts' : '../../src/server.ts';
  const script = fileURLToPath(new URL(module, import.meta.url));
  const child = spawn(process.execPath, [...startFlags, ...(options.nodeFlags ?? []), script], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ROLE: 'worker',
      DATABASE_URL: options.databaseUrl,
      LOG_LEVEL: 'warn',
      ...(metricsPort !== undefined && { METRICS_PORT: String(metricsPort) }),
      ...options.env,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const guard = setTimeout(() => child.kill('SIGKILL'), readyLimitMs);
  await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => {
      throw new Error(`The worker ended with ${code} before it was ready.`);
    }),
  ]);
  clearTimeout(guard);
  return {
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}
