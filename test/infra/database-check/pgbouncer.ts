import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';

const program = '/usr/sbin/pgbouncer';

/** True if tests that need a pooler are skipped. */
export const poolerIsMissing = !existsSync(program);
export const skippedSuffix = poolerIsMissing ? ' (skipped: apt-get install pgbouncer)' : '';

/** Starts a PgBouncer in front of a database that listens on a socket, and returns the URL of the database behind it. */
export async function startPooler(databaseUrl: string, mode: 'session' | 'transaction') {
  const { user, host, port, database } = new pg.Client({ connectionString: databaseUrl });
  // The directory of the server's socket is closed to the pooler's user.
  const server = await startPostgresProxy(`${host}/.s.PGSQL.${port}`);
  const directory = await mkdtemp(join(tmpdir(), 'causeway-pooler-'));
  await chmod(directory, 0o777);
  const listenPort = await freePort();
  await writeFile(join(directory, 'users.txt'), `"${user}" ""\n`);
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    [
      '[databases]',
      `${database} = host=127.0.0.1 port=${server.port} user=${user}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = any',
      `auth_file = ${directory}/users.txt`,
      `pool_mode = ${mode}`,
      'ignore_startup_parameters = options,extra_float_digits',
      '',
    ].join('\n'),
  );
  const child = spawn(program, [...asAnotherUser(), join(directory, 'pgbouncer.ini')], { stdio: 'ignore' });
  const url = `postgresql://${user}@127.0.0.1:${listenPort}/${database}`;
  for (let tries = 0; !(await accepts(url)); tries += 1) {
    if (tries > 200) throw new Error('PgBouncer did not start.');
    await sleep(50);
  }
  return {
    url,
    async close() {
      child.kill('SIGINT');
      await once(child, 'exit');
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** It refuses to run as root. */
const asAnotherUser = () => (process.getuid?.() === 0 ? ['--user', 'nobody'] : []);

async function accepts(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
