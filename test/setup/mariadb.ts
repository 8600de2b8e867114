import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childEnvironment } from '#src/process/env.ts';
import { freePort } from './free-port.ts';

/** Naming the program, as CI does, makes its absence an error. */
const { MARIADBD: named } = childEnvironment({});
const program = named ?? '/usr/sbin/mariadbd';
export const mariadbIsMissing = named === undefined && !existsSync(program);
export const skipped = mariadbIsMissing ? ` (skipped: there is no ${program}; apt-get install mariadb-server)` : '';

export interface Mariadb {
  port: number;
  stop(): Promise<void>;
}

/** A MariaDB on loopback, with TLS, and the given statements executed by its administrator. */
export async function startMariadb(certificates: string, statements: string): Promise<Mariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'));
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  await promisify(execFile)('/usr/bin/mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...asRoot('root'),
  ]);
  const tls = join(folder, 'tls');
  await mkdir(tls);
  await cp(certificates, tls, { recursive: true });
  const init = join(folder, 'init.sql');
  await writeFile(init, statements);
  const port = await freePort();
  const child = spawn(
    program,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${init}`,
      `--ssl-cert=${join(tls, 'certificate.pem')}`,
      `--ssl-key=${join(tls, 'key.pem')}`,
      '--innodb-buffer-pool-size=16M',
      '--innodb-flush-log-at-trx-commit=0',
      ...asRoot('root'),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'exit');
  // It executes the statements before it says that it is ready.
  while (!log.includes('ready for connections')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`MariaDB did not start: ${log}`);
    await delay(50);
  }
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const asRoot = (user: string): string[] => (process.getuid?.() === 0 ? [`--user=${user}`] : []);
