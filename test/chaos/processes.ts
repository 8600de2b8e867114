import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { v8Flags } from '#test/setup/v8-flags.ts';

const server = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
const worker = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const readyLimitMs = 180_000;

/** A process of the product's own, as a deployment starts it. */
export interface OwnProcess {
  pid: number;
  /** The parsed log. */
  log: Record<string, unknown>[];
  isAlive(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>;
}

/** Starts a worker process and waits until it takes jobs. It ends with this process. */
export async function startWorker(options: {
  databaseUrl: string;
  allow?: string;
  leaseMs?: number;
  concurrency?: number;
  dataDir?: string;
}): Promise<OwnProcess> {
  const child = launch(worker, {
    ROLE: 'worker',
    DATABASE_URL: options.databaseUrl,
    EGRESS_ALLOW: options.allow ?? '',
    WORKER_LEASE_MS: String(options.leaseMs ?? 6_000),
    WORKER_CONCURRENCY: String(options.concurrency ?? 60),
    ...(options.dataDir !== undefined && { DATA_DIR: options.dataDir }),
  });
  await Promise.race([once(child.process, 'message'), endedEarly(child)]);
  return child;
}

/** Starts an API process and waits until it is ready. */
export async function startApi(options: {
  databaseUrl: string;
  dataDir: string;
  allow?: string;
}): Promise<OwnProcess & { port: number; url: string }> {
  const child = launch(server, {
    ROLE: 'api',
    PORT: '0',
    DATA_DIR: options.dataDir,
    DATABASE_URL: options.databaseUrl,
    EGRESS_ALLOW: options.allow ?? '',
    API_RATE_PER_MINUTE: '0',
    API_RATE_PER_SECOND: '0',
    PLATFORM_RATE: '0',
  });
  const findPort = () => child.log.find(({ msg }) => msg === 'The API is open.')?.['port'];
  const ready = async () => {
    for (const deadline = Date.now() + readyLimitMs; Date.now() < deadline; await delay(50)) {
      const port = findPort();
      if (typeof port !== 'number') continue;
      const url = `http://127.0.0.1:${port}`;
      if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) return { port, url };
    }
    throw new Error(`The API was not ready within ${readyLimitMs / 1_000} s.`);
  };
  return { ...child, ...(await Promise.race([ready(), endedEarly(child)])) };
}

function launch(module: string, env: Record<string, string>): OwnProcess & { process: ChildProcess } {
  const child = spawn(process.execPath, [...v8Flags, module], {
    env: { ...inheritedEnv, LOG_LEVEL: 'info', NODE_ENV: 'development', METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log: Record<string, unknown>[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => log.push(parseLine(line)));
  }
  return {
    process: child,
    pid: child.pid ?? 0,
    log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    signal: (signal) => void child.kill(signal),
    exited: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null),
  };
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { raw: line };
  }
}

async function endedEarly(child: OwnProcess): Promise<never> {
  const code = await child.exited;
  throw new Error(
    `The process ended (${code}) before it was ready:\n${child.log.map((line) => JSON.stringify(line)).join('\n')}`,
  );
}
