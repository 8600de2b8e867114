import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { devDiscovery, openDevIssuer } from '#src/identity/dev-issuer.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { startFlags } from './start-script.ts';

export interface ApiProcess {
  readonly port: number;
  readonly pid: number;
  /** Headers of a request by a member of the tenant, or by somebody with these roles. */
  headersFor(tenantId: string, roles?: string[]): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

const readyLimitMs = 60_000;

/**
 * Starts the product's API process as production runs it, apart from its own Postgres and its rate limits. Tokens come from
 * an issuer beside it, for org `orgId`. `nodeFlags` go to its Node as well (`--cpu-prof`).
 */
export async function startApiProcess(options: {
  databaseUrl: string;
  orgId: string;
  poolSize: number;
  nodeFlags?: readonly string[];
  /** Requests of a user in a second and in a minute; no limit, nor counting, when left out. */
  rates?: number;
  /** Requests a second of a tenant's API keys, beside a burst of twice as many; no limit when left out. */
  platformRate?: number;
  /** For a bench that makes signed links or cursors itself. */
  signingSecret?: string;
  /** `host:port` pairs on loopback that it may call. */
  egressAllow?: string;
  /** More variables of its environment. */
  env?: Readonly<Record<string, string>>;
}): Promise<ApiProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-api-'));
  const issuerServer = createServer();
  issuerServer.listen(0, '127.0.0.1');
  await once(issuerServer, 'listening');
  const issuer = await openDevIssuer({
    dataDir,
    issuer: `http://127.0.0.1:${listeningPort(issuerServer)}`,
    audience: 'causeway',
  });
  issuerServer.on('request', (request, response) => {
    const answer = request.url === '/jwks' ? issuer.jwks : devDiscovery(issuer.issuer);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });

  const port = await freePort();
  const script = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
  const child = spawn(process.execPath, [...startFlags, ...(options.nodeFlags ?? []), script], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      ROLE: 'api',
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: options.databaseUrl,
      DATABASE_POOL: String(options.poolSize),
      OIDC_ISSUER: issuer.issuer,
      CREDENTIALS_KEY: generateKey(),
      SECRETS_KEY: generateKey(),
      LOG_LEVEL: 'warn',
      API_RATE_PER_MINUTE: String(options.rates ?? 0),
      API_RATE_PER_SECOND: String(options.rates ?? 0),
      PLATFORM_RATE: String(options.platformRate ?? 0),
      PLATFORM_BURST: String(2 * (options.platformRate ?? 1)),
      ...(options.egressAllow !== undefined && { EGRESS_ALLOW: options.egressAllow }),
      ...(options.signingSecret !== undefined && { URL_SIGNING_SECRET: options.signingSecret }),
      ...options.env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    issuerServer.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(port, () => child.exitCode ?? child.signalCode);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    pid: child.pid ?? 0,
    stop,
    headersFor: async (tenantId, roles = ['user']) => ({
      authorization: `Bearer ${await issuer.sign({ sub: 'bench', roles, org_id: options.orgId }, 3_600)}`,
      'x-tenant-id': tenantId,
    }),
  };
}

async function untilReady(port: number, ended: () => number | string | null): Promise<void> {
  for (const deadline = Date.now() + readyLimitMs; Date.now() < deadline; await delay(50)) {
    if (ended() !== null) throw new Error(`The API process ended (${ended()}) before it was ready.`);
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (response?.ok) return;
  }
  throw new Error(`The API process was not ready within ${readyLimitMs / 1000} s.`);
}

const listeningPort = (server: Server): number => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = listeningPort(server);
  server.close();
  await once(server, 'close');
  return port;
}
