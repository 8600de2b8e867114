import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** Where `.ci/install-pgbouncer` puts a version that keeps prepared statements, and where Debian has its own. */
const program = ['/usr/local/sbin/pgbouncer', '/usr/sbin/pgbouncer'].find((path) => existsSync(path));
const [, major, minor] = program
  ? (/(\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [])
  : [];
const canKeepStatements = Number(major) > 1 || Number(minor) >= 21;

/** True if tests that need a pooler are skipped. */
export const poolerIsMissing = program === undefined;
export const skippedSuffix = poolerIsMissing ? ' (skipped: apt-get install pgbouncer)' : '';
/** True if tests are skipped that need a pooler which keeps prepared statements. */
export const keeperIsMissing = !canKeepStatements;
export const keeperSuffix = keeperIsMissing ? ' (skipped: .ci/install-pgbouncer)' : '';

export interface PoolerOptions {
  mode: 'session' | 'transaction' | 'statement';
  keepsStatements?: boolean;
  /** Sessions of the server for each login. */
  size?: number;
  /** Users that it lets in, besides that of the database's URL. */
  logins?: readonly string[];
  /** Has clients connect over a unix socket instead of TCP. */
  overSocket?: boolean;
}

interface Server {
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface Pooler {
  pid(): number;
  /** The database behind it, for a user. */
  as(login: string): string;
  /** Ends it as a crash would; connections break. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Stops and continues its process. */
  freeze(isFrozen: boolean): void;
  close(): Promise<void>;
}

/** A pooler, the URL for the user of the database's own URL, and the way from the pooler to the server. */
export type ProxiedPooler = Pooler & { url: string; toServer: PostgresProxy };

/** Starts a PgBouncer in front of a database whose server listens on a socket that the pooler's user cannot reach. */
export async function startPooler(databaseUrl: string, options: PoolerOptions): Promise<ProxiedPooler> {
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: databaseUrl });
  const toServer = await startPostgresProxy(`${host}/.s.PGSQL.${port}`);
  const pooler = await runPooler({ host: '127.0.0.1', port: toServer.port, user, database }, options);
  return {
    ...pooler,
    url: pooler.as(user),
    toServer,
    async close() {
      await pooler.close();
      await toServer.close();
    },
  };
}

/** Starts a PgBouncer that drops start-up options. */
export async function runPooler(
  { host, port, user, database }: Server,
  { mode, keepsStatements = false, size = 20, logins = [], overSocket = false }: PoolerOptions,
): Promise<Pooler> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-pooler-'));
  await chmod(directory, 0o777);
  const listenPort = await freePort();
  await writeFile(join(directory, 'users.txt'), [user, ...logins].map((login) => `"${login}" ""\n`).join(''));
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    [
      '[databases]',
      `${database} = host=${host} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      `unix_socket_dir = ${overSocket ? directory : ''}`,
      'auth_type = trust',
      `auth_file = ${directory}/users.txt`,
      `pool_mode = ${mode}`,
      `default_pool_size = ${size}`,
      'max_client_conn = 1000',
      'server_login_retry = 1',
      'ignore_startup_parameters = options,extra_float_digits',
      ...(canKeepStatements ? [`max_prepared_statements = ${keepsStatements ? 1000 : 0}`] : []),
      '',
    ].join('\n'),
  );
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = undefined;
  };
  const start = async () => {
    child = spawn(program ?? '', [...asAnotherUser(), join(directory, 'pgbouncer.ini')], { stdio: 'ignore' });
    for (let tries = 0; !(await listens(listenPort)); tries += 1) {
      if (tries > 200) throw new Error('PgBouncer did not start.');
      await sleep(50);
    }
  };
  await start();
  return {
    pid: () => child?.pid ?? 0,
    as: (login) =>
      overSocket
        ? `postgresql://${login}@/${database}?host=${encodeURIComponent(directory)}&port=${listenPort}`
        : `postgresql://${login}@127.0.0.1:${listenPort}/${database}`,
    kill,
    start,
    freeze: (isFrozen) => void child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT'),
    async close() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** It refuses to run as root. */
const asAnotherUser = () => (process.getuid?.() === 0 ? ['--user', 'nobody'] : []);

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
