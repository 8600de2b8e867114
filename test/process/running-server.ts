import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runCauseway } from '#bin/causeway.ts';
import { v8Flags } from '#test/setup/v8-flags.ts';

const root = join(import.meta.dirname, '../..');
const readyWithinMs = 90_000;

export interface RunningServer {
  /** Known once the API is open, as is the port. */
  readonly url: string;
  readonly port: number;
  child: ChildProcess;
  /** The address of /metrics, /healthz and /readyz for operators. */
  readonly metricsUrl: string;
  /** Everything written so far. */
  output: () => string;
  /** Resolves with the exit code. */
  exited: Promise<number | null>;
  status: (path: string, headers?: Record<string, string>) => Promise<number>;
  /** Milliseconds from the start to the first 200 of /readyz. */
  untilReady: () => Promise<number>;
  /** Runs an npm script beside the server, as its person would in another terminal. */
  npm: (...args: string[]) => Promise<string>;
  /** Runs a command of the product's own with the server's settings, within this process: npm and a second node take a second of CPU. */
  run: (...args: string[]) => Promise<string>;
  /** Starts a command of the product's own beside the server, and leaves it running. */
  causeway: (...args: string[]) => ChildProcessByStdio<null, Readable, Readable>;
}

/** `npm start` as typed, in a data directory of its own. */
export const npmStart = (dataDir: string, changes: Record<string, string> = {}): RunningServer =>
  start('npm', ['start'], dataDir, changes);

/** The command of `npm start`, without npm and with the compile cache of test workers: half a second of CPU less. */
export const startServer = (dataDir: string, changes: Record<string, string> = {}): RunningServer =>
  start(process.execPath, [...v8Flags, 'src/server.ts'], dataDir, changes);

function start(command: string, args: string[], dataDir: string, changes: Record<string, string>): RunningServer {
  // oxlint-disable-next-line node/no-process-env -- a person's shell is what npm runs in
  const shell = process.env;
  // The tests ask more often than a user may.
  const unlimited = { API_RATE_PER_MINUTE: '0', API_RATE_PER_SECOND: '0' };
  const env = {
    ...shell,
    NODE_ENV: 'development',
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    ...unlimited,
    ...changes,
  };
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const beside = () => ({ ...env, PORT: String(findPort()) });
  const findPort = () => Number(/"port":(\d+)[^\n]*The API is open/.exec(text)?.[1]);
  const buildUrl = () => `http://127.0.0.1:${findPort()}`;
  const status = (path: string, headers: Record<string, string> = {}) =>
    fetch(buildUrl() + path, { headers, signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.status,
      () => 0,
    );
  return {
    get url() {
      return buildUrl();
    },
    get port() {
      return findPort();
    },
    get metricsUrl() {
      return `http://127.0.0.1:${/"port":(\d+)[^\n]*Metrics are served/.exec(text)?.[1]}`;
    },
    child,
    output: () => text,
    exited: once(child, 'exit').then(([code]) => code as number | null),
    status,
    async untilReady() {
      while (Number.isNaN(findPort()) || (await status('/readyz')) !== 200) {
        if (child.exitCode !== null) throw new Error(`The server ended:\n${text}`);
        if (performance.now() - startedAt > readyWithinMs) throw new Error(`The server did not become ready:\n${text}`);
        await delay(20);
      }
      return performance.now() - startedAt;
    },
    async npm(...args) {
      const options = { cwd: root, env: beside(), timeout: 60_000 };
      const { stdout } = await promisify(execFile)('npm', ['run', '-s', ...args], options);
      return stdout;
    },
    async run(...args) {
      let [said, failure] = ['', ''];
      const out = (text: string) => void (said += text);
      const err = (text: string) => void (failure += text);
      if ((await runCauseway(args, { out, err, env: beside(), cwd: root })) !== 0) throw new Error(failure);
      return said;
    },
    causeway: (...args) =>
      spawn(process.execPath, ['bin/causeway.ts', ...args], {
        cwd: root,
        env: beside(),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}
