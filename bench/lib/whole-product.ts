import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { devIssuerUrl, openDevIssuer } from '#src/identity/dev-issuer.ts';
import { findFamily, measureMemory } from './processes.ts';
import { startScript } from './start-script.ts';

/** The product as `npm start` runs it: every process, on a data directory. */
export interface WholeProduct {
  readonly port: number;
  /** Milliseconds from the start of the process to the first 200 of /readyz. */
  readonly readyMs: number;
  /** Of an administrator of the org, by default that of the demo. */
  headersFor(tenantId: string, org?: string): Promise<Record<string, string>>;
  /** Memory of all its processes in MiB: proportional set size, so that what they share counts once. */
  memory(): number;
  stop(): Promise<void>;
  /** Kills the process that was started; with it, all others of a container. */
  kill(): Promise<void>;
}

const readyLimitMs = 120_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a script of the shell in a pid namespace of its own, so that all processes are killed together. Needs Linux and root. */
export const inNamespace = (script: string): readonly string[] => [
  'unshare',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  'sh',
  '-c',
  script,
];

export async function startWholeProduct(
  dataDir: string,
  [command = 'sh', ...args]: readonly string[] = ['sh', '-c', startScript],
  env: Readonly<Record<string, string>> = {},
): Promise<WholeProduct> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: `${root}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      API_RATE_PER_MINUTE: '0',
      API_RATE_PER_SECOND: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const readyMs = await untilReady(port, began, () => child.exitCode);
  const issuer = await openDevIssuer({ dataDir, issuer: devIssuerUrl(port), audience: 'causeway' });
  return {
    port,
    readyMs,
    headersFor: async (tenantId, org = 'demo-org') => ({
      authorization: `Bearer ${await issuer.sign({ sub: 'bench', roles: ['admin'], org_id: org }, 3_600)}`,
      'x-tenant-id': tenantId,
      'content-type': 'application/json',
    }),
    memory: () => measureMemory(findFamily(child.pid ?? 0)),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Returns the milliseconds from `began` to the first 200 of /readyz; throws if the process ends before that. */
export async function untilReady(port: number, began: number, ended: () => number | null): Promise<number> {
  while (performance.now() - began < readyLimitMs) {
    if (ended() !== null) throw new Error('The product ended before it was ready.');
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (response?.status === 200) return performance.now() - began;
    await delay(20);
  }
  throw new Error('The product was not ready in time.');
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
