import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { note } from './figure.ts';

const peers = new URL('../peers/', import.meta.url);
const readyLimitMs = 60_000;
const installLimitMs = 300_000;

/**
 * Installs the peers' packages from their own lock file, unless they are installed from it already. The product's own install never does
 * this.
 */
export async function installPeers(): Promise<void> {
  const wanted = await listPackages(new URL('package-lock.json', peers));
  const present = await listPackages(new URL('node_modules/.package-lock.json', peers));
  if (wanted !== '' && wanted === present) return;
  note('Installing the peers (npm ci --prefix bench/peers) ...');
  const npm = spawn('npm', ['ci', '--prefix', fileURLToPath(peers), '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: installLimitMs,
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error('The peers could not be installed. Run `npm ci --prefix bench/peers` to see why.');
}

export interface Server {
  readonly port: number;
  readonly process: ChildProcess;
  /** Processor seconds are not read here: a server under test reports its own. Ends within ten seconds. */
  stop(): Promise<void>;
}

/**
 * Starts a script under this Node in a process of its own and waits for its ready line, one JSON object
 * `{"ready":true,"port":1234}` on standard output. It sees `env` and `PATH`, nothing else.
 */
export async function startServer(script: URL, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const child = spawn(process.execPath, [fileURLToPath(script)], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await readyPort(child, script);
  return { port, process: child, stop: () => stopProcess(child) };
}

/** A script of `bench/peers`, by its file name; its packages are installed first. */
export async function startPeer(file: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  await installPeers();
  return startServer(new URL(file, peers), env);
}

async function readyPort(child: ChildProcess, script: URL): Promise<number> {
  const name = script.pathname.split('/').at(-1);
  const guard = setTimeout(() => child.kill('SIGKILL'), readyLimitMs);
  try {
    if (child.stdout === null) throw new Error(`${name} has no standard output to read its ready line from.`);
    for await (const line of createInterface({ input: child.stdout })) {
      const port = readPort(line);
      if (port !== undefined) return port;
    }
    throw new Error(`${name} ended, or said nothing for ${readyLimitMs / 1000} s, before it was ready.`);
  } finally {
    clearTimeout(guard);
    child.stdout?.resume();
  }
}

function readPort(line: string): number | undefined {
  try {
    const said: unknown = JSON.parse(line);
    if (typeof said !== 'object' || said === null || !('ready' in said) || !('port' in said)) return undefined;
    return typeof said.port === 'number' ? said.port : undefined;
  } catch {
    return undefined;
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const guard = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(guard);
}

/** The set of packages a lock file names, as text to compare; empty when there is none. */
async function listPackages(lock: URL): Promise<string> {
  const text = await readFile(lock, 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, { version?: string; optional?: boolean }> };
  return Object.entries(packages)
    .filter(([path, { optional }]) => path !== '' && optional !== true)
    .map(([path, { version }]) => `${path}@${version}`)
    .toSorted()
    .join('\n');
}
