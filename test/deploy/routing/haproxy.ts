import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '#src/process/env.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { freePort } from '#test/setup/free-port.ts';

/** Naming the program, as CI does, makes its absence an error. */
const { HAPROXY: named } = childEnvironment({});
const program = named ?? '/usr/sbin/haproxy';
export const isRouterMissing = named === undefined && !existsSync(program);
export const skipped = isRouterMissing ? ` (skipped: there is no ${program}; apt-get install haproxy)` : '';

const example = join(import.meta.dirname, '../../../deploy/routing/haproxy');

export interface Router {
  port: number;
  /** Adds a line to a map; HAProxy reads it at its next start. */
  add: (map: string, line: string) => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
  close: () => Promise<void>;
}

/** HAProxy as the example configures it, in front of two servers that say which installation they are. */
export async function openRouter(): Promise<Router> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-router-'));
  await cp(example, folder, { recursive: true });
  const servers = await Promise.all(['0', '1'].map(openInstallation));
  const port = await freePort();
  let child: ReturnType<typeof spawn> | undefined;
  const stop = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    child = undefined;
  };
  return {
    port,
    add: (map, line) => appendFile(join(folder, 'maps', map), `${line}\n`),
    async start() {
      child = spawn(program, ['-db', '-f', 'haproxy.cfg'], {
        cwd: folder,
        env: {
          ...inheritedEnv,
          CAUSEWAY_BIND: `127.0.0.1:${port}`,
          CAUSEWAY_0: `127.0.0.1:${listeningPort(servers[0] as Server)}`,
          CAUSEWAY_1: `127.0.0.1:${listeningPort(servers[1] as Server)}`,
        },
        stdio: 'ignore',
      });
      for (let tries = 0; !(await answers(port)); tries += 1) {
        if (tries > 200 || child.exitCode !== null) throw new Error('HAProxy did not start.');
        await delay(50);
      }
    },
    stop,
    async close() {
      await stop();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openInstallation(number: string): Promise<Server> {
  const server = createServer((_request, response) => void response.end(number)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const listeningPort = (server: Server): number => (server.address() as AddressInfo).port;

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
