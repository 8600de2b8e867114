import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type AppOptions, createApp } from '#src/app.ts';
import type { Automation } from '#src/automation/automation.ts';
import { domains as product } from '#src/domains/domains.ts';
import { openDomains } from '#src/domains/open-domains.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { openDevIssuer } from '#src/identity/dev-issuer.ts';
import { createTokenVerifier } from '#src/identity/tokens.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { originRule } from '#src/infra/http/cors.ts';
import { startJobs } from '#src/infra/jobs.ts';
import { PollingPubsub } from '#src/infra/live/polling-pubsub.ts';
import { createPubsub } from '#src/infra/live/pubsub.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import type { Services } from '#src/infra/services.ts';
import { createSignedCursors } from '#src/infra/signing/signed-cursors.ts';
import { createUrlSigner } from '#src/infra/signing/signed-url.ts';
import { openSigningSecret } from '#src/infra/signing/signing-secret.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage } from '#src/infra/storage/storage.ts';
import { noTracing, type Tracing } from '#src/infra/tracing/tracing.ts';
import { openKeyRings } from '#src/infra/vault/key-ring.ts';
import { createVault } from '#src/infra/vault/vault.ts';
import { openNodeRuntime } from '#workers/runtime/node-runtime.ts';

export interface TestApp {
  app: FastifyInstance;
  /** What use cases are built on: those of this domain, and so of every other. */
  deps: Automation;
  services: Services;
  database: Database;
  /** URL of the test's own database. */
  databaseUrl: string;
  /** Where the issuer's key lies. */
  dataDir: string;
  /** What the app logged, a JSON line each. */
  logLines: string[];
  /** `host:port` pairs that egress may call; add the server that a test listens with. */
  egressAllow: Set<string>;
  /** A signed token; defaults to an admin of org `acme`. */
  token: (claims?: TokenClaims, ttlSeconds?: number) => Promise<string>;
  /** A new API key of a tenant, `acme-shop` by default. */
  apiKey: (scopes: string[], tenant?: string) => Promise<string>;
  /** Runs a GraphQL document and answers `{data, errors}`. */
  graphql: <Data = Record<string, never>>(
    document: string,
    variables?: object,
    as?: Caller,
  ) => Promise<GraphqlAnswer<Data>>;
  /** Closes all of it, once; the database stays. */
  close: () => Promise<void>;
}

export interface TokenClaims {
  sub?: string;
  email?: string;
  name?: string;
  roles?: string[];
  org_id?: string;
  tenant_id?: string;
  tenants?: string[];
}

export interface Caller extends TokenClaims {
  /** The X-Tenant-Id header; defaults to `acme-shop`. Null leaves it out. */
  tenant?: string | null;
  /** A ready token instead of one made from the claims. Null leaves Authorization out. */
  bearer?: string | null;
  /** An API key instead of a token. */
  apiKey?: string;
}

export interface GraphqlAnswer<Data> {
  data: Data;
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: string } }[];
}

const claimNames = { roles: 'roles', org: 'org_id', tenant: 'tenant_id', tenants: 'tenants' };

export type TestAppOptions = Partial<
  Pick<
    AppOptions,
    | 'allowsOrigin'
    | 'domains'
    | 'apis'
    | 'consoleSite'
    | 'introspection'
    | 'persisted'
    | 'rates'
    | 'socketIdleMs'
    | 'socketsPerAddress'
    | 'verifier'
    | 'wrongKeysPerMinute'
  >
> & {
  /** The addresses at which browsers find the app and its issuer; by default those of an app that is only injected into. */
  at?: { publicUrl: string; issuer: string };
  /** Where it sends its spans; nowhere by default. */
  tracing?: Tracing;
};

/** Where an app keeps what it holds: a database, and a directory that a second app on that database shares. */
export interface TestAppPlace {
  databaseUrl: string;
  /** A standby of the database's server; none by default. */
  replicaUrl?: string;
  dataDir?: string;
  /** Poolers that the app's pools go through. */
  poolers?: { appUrl: string; systemUrl: string };
  /** How the app and its engines learn of changes; by notices, if not told otherwise. */
  wakeUp?: 'listen' | 'poll';
}

/**
 * The app as production builds it, on a migrated database. Given the place of another app, it starts beside that one;
 * otherwise it makes orgs `acme` (two tenants) and `other` (one).
 */
export async function startTestApp(
  place: TestAppPlace,
  {
    apis,
    consoleSite,
    introspection = true,
    persisted,
    rates = {},
    domains = product,
    verifier: given,
    allowsOrigin = originRule([], { anyLocalhost: false }),
    socketsPerAddress = 0,
    socketIdleMs,
    wrongKeysPerMinute = 0,
    at = { publicUrl: 'http://localhost', issuer: 'http://localhost/dev/oidc' },
    tracing = noTracing,
  }: TestAppOptions = {},
): Promise<TestApp> {
  const url = place.databaseUrl;
  const beside = place.dataDir !== undefined;
  const dataDir = place.dataDir ?? (await mkdtemp(join(tmpdir(), 'causeway-app-')));
  const redactor = createRedactor();
  const logLines: string[] = [];
  const log = createLogger({ level: 'info', redactor, destination: { write: (line) => void logLines.push(line) } });
  const { replicaUrl, poolers, wakeUp = 'listen' } = place;
  const database = openDatabase({ url, replicaUrl, wakeUp, poolSize: 8, ...(poolers && { poolers }) });
  const jobs = await startJobs({ database, onError: () => undefined });
  const devIssuer = await openDevIssuer({ dataDir, issuer: at.issuer, audience: 'causeway' });
  const verifier = given ?? createTokenVerifier({ ...devIssuer, audience: 'causeway', claims: claimNames });
  const onError = () => undefined;
  const live = wakeUp === 'poll' ? new PollingPubsub({ onError }) : createPubsub({ url, onError });
  const egressAllow = new Set<string>();
  const egress = createEgress({ allow: egressAllow });
  const nodeRuntime = openNodeRuntime({ NODE_ENV: 'test', SANDBOX_ALLOW_NO_OS_BOUNDARY: false }, log)(egress);
  const storage = createStorage(createDiskDriver(join(dataDir, 'storage')));
  const { publicUrl } = at;
  const secret = await openSigningSecret(dataDir);
  const urlSigner = (purpose: string) => createUrlSigner(secret, purpose);
  const cursors = createSignedCursors(secret);
  const rings = await openKeyRings({ DATA_DIR: dataDir, CREDENTIALS_KEY_PREVIOUS: [], SECRETS_KEY_PREVIOUS: [] });
  const vault = createVault({ database, rings });
  const deps: Deps = {
    database,
    jobs,
    live,
    storage,
    vault,
    egress,
    urlSigner,
    cursors,
    publicUrl,
    tracing,
    log,
    redactor,
  };
  if (!beside) await seed(database);
  const { services, close: settled } = await openDomains(domains, {
    deps,
    settings: {
      automation: { fileLimits: { fileBytes: 16 * 2 ** 20, filesPerRun: 10, tenantBytes: 64 * 2 ** 20 } },
      imports: { uploadUrlTtlSeconds: 900, sftpStableMs: 50, importPairs: false },
      operations: { mail: null },
    },
    nodeRuntime,
  });
  const app = await createApp({
    domains,
    // Built once a worker; not where a test adds a domain, whose types would come too late.
    ...(domains === product && { schema: (await import('./schema.ts')).schema }),
    services,
    verifier,
    consoleConfig: {
      issuer: devIssuer.issuer,
      clientId: 'causeway-console',
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      audience: 'causeway',
    },
    devSignIn: {
      issuer: devIssuer,
      clients: [
        {
          id: 'causeway-console',
          redirectUris: ['http://localhost:4000/console/callback', `${publicUrl}/console/callback`],
        },
      ],
      claims: claimNames,
      dataDir,
    },
    introspection,
    ...(apis && { apis }),
    ...(consoleSite && { consoleSite }),
    ...(persisted && { persisted }),
    rates,
    wrongKeysPerMinute,
    allowsOrigin,
    socketsPerAddress,
    ...(socketIdleMs !== undefined && { socketIdleMs }),
    jsonBodyLimit: 1024 * 1024,
    packageBodyLimit: 32 * 1024 * 1024,
    readiness: async () => ({ status: 'ready' }),
    // Tests let sockets stand still for as long as a busy machine takes.
    keepAliveMs: 60_000,
  });

  async function close(): Promise<void> {
    await app.close();
    await settled();
    await jobs.stop();
    await nodeRuntime.close();
    await egress.close();
    await live.close();
    await database.close();
    if (!beside) await rm(dataDir, { recursive: true, force: true });
  }

  const sign = (claims: TokenClaims, ttlSeconds: number) =>
    devIssuer.sign(
      { sub: 'test-admin', email: 'admin@example.com', roles: ['admin'], org_id: 'acme', ...claims },
      ttlSeconds,
    );
  // Signed once for the same claims, as a caller sends one token with all its requests.
  const signed = new Map<string, Promise<string>>();
  const token = (claims: TokenClaims = {}, ttlSeconds = 600) => {
    const key = JSON.stringify([claims, ttlSeconds]);
    const known = (ttlSeconds === 600 && signed.get(key)) || sign(claims, ttlSeconds);
    signed.set(key, known);
    return known;
  };
  const api: TestApp = {
    app,
    deps: services.automation,
    services,
    database,
    databaseUrl: url,
    dataDir,
    logLines,
    egressAllow,
    token,
    async apiKey(scopes, tenantId = 'acme-shop') {
      const { orgId } = await database.global.tenant.findUniqueOrThrow({ where: { id: tenantId } });
      const name = `Key ${randomUUID()}`;
      return (
        await createApiKey({ database, keyScopes: services.keyScopes }, systemActor(orgId, tenantId), { name, scopes })
      ).secret;
    },
    async graphql(document, variables = {}, { tenant = 'acme-shop', bearer, apiKey, ...claims } = {}) {
      const byToken = async () => ({
        ...(bearer !== null && { authorization: `Bearer ${bearer ?? (await token(claims))}` }),
        ...(tenant && { 'x-tenant-id': tenant }),
      });
      const byKey = { 'x-platform-api-key': apiKey, ...(tenant && { 'x-platform-tenant': tenant }) };
      const response = await app.inject({
        method: 'POST',
        url: '/graphql',
        headers: { 'content-type': 'application/json', ...(apiKey === undefined ? await byToken() : byKey) },
        payload: JSON.stringify({ query: document, variables }),
      });
      return response.json();
    },
    close: once(() => close().then(() => forget(api))),
  };
  return api;
}

/** Calls `work` once, and holds nothing of what it refers to from then on. */
function once(work: () => Promise<void>): () => Promise<void> {
  let left: typeof work | undefined = work;
  let done: Promise<void> | undefined;
  return () => {
    done ??= left?.() ?? Promise.resolve();
    left = undefined;
    return done;
  };
}

/**
 * Lets go of a closed app. Test modules live as long as their worker and keep their apps in variables: with the 11 MB of each, every
 * collection of garbage would take longer than the last.
 */
function forget(api: TestApp): void {
  for (const key of ['app', 'deps', 'opened', 'database', 'token', 'apiKey', 'graphql'] as const)
    Reflect.deleteProperty(api, key);
}

async function seed(database: Database): Promise<void> {
  const { org, tenant } = database.global;
  await org.createMany({ data: ['acme', 'other'].map((id) => ({ id, name: id })) });
  await tenant.createMany({
    data: [
      { id: 'acme-shop', orgId: 'acme', name: 'Acme shop' },
      { id: 'acme-outlet', orgId: 'acme', name: 'Acme outlet' },
      { id: 'other-shop', orgId: 'other', name: 'Other shop' },
    ],
  });
}
