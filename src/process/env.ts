import { resolve } from 'node:path';
import { z } from 'zod';
import { keyVariable, parseKey, purposes } from '#src/infra/vault/key-ring.ts';

/** A whole number read from text, between `min` and `max`. */
const whole = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
const flag = z
  .enum(['0', '1', 'true', 'false'])
  .optional()
  .transform((value) => value === '1' || value === 'true');
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
const MiB = 1024 * 1024;
const notAKey = 'takes 32 bytes in base64, as `npm run -s causeway -- keys generate` prints them';
const key = z
  .string()
  .refine((text) => parseKey(text) !== undefined, notAKey)
  .optional();
const keyList = list.refine((keys) => keys.every((text) => parseKey(text) !== undefined), notAKey);

/** Every variable; docs/configuration.md is made from the descriptions. */
export const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'])
    .default('development')
    .describe('production turns the development issuer, the demo and introspection off.'),
  ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('What this process runs: everything, or one half of it beside others (which needs DATABASE_URL).'),
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on; 0.0.0.0 for every interface.'),
  PORT: whole(4000, 0, 65_535).describe('Port the API listens on; 0 takes a free one.'),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe('Base of links handed out (signed images, the OAuth redirect URI); http://localhost:PORT when unset.'),
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(path))
    .describe('Where the embedded Postgres, stored files and the development keys live.'),
  DATABASE_URL: z
    .string()
    .optional()
    .describe('A Postgres of your own, by its database’s owner ([how](database.md)); none is started then.'),
  DATABASE_POOL: whole(10, 2, 200).describe('Connections a process keeps for requests; half as many more for runs.'),
  OIDC_ISSUER: z
    .url()
    .optional()
    .describe('Your identity provider; its keys are found by discovery. Required in production.'),
  OIDC_AUDIENCE: z.string().default('causeway').describe('The audience a token must name.'),
  OIDC_CLAIM_ROLES: z.string().default('roles').describe('Claim that lists user, admin, operator.'),
  OIDC_CLAIM_ORG: z.string().default('org_id').describe('Claim that names the organisation.'),
  OIDC_CLAIM_TENANT: z.string().default('tenant_id').describe('Claim that stands in for a missing X-Tenant-Id.'),
  OIDC_CLAIM_TENANTS: z.string().default('tenants').describe("Claim that narrows the organisation's tenants."),
  EGRESS_ALLOW: list.describe('host:port pairs, by commas, that may be called although their address is private.'),
  URL_SIGNING_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('Signs links to images; the same on every machine. Kept in DATA_DIR when unset.'),
  CREDENTIALS_KEY: key.describe(
    'Wraps the keys that credentials are sealed with. Required in production; kept in DATA_DIR/keys when unset.',
  ),
  CREDENTIALS_KEY_PREVIOUS: keyList.describe('Earlier ones, by commas, until `causeway keys rotate` has run.'),
  SECRETS_KEY: key.describe('The same for tenant secrets; another key.'),
  SECRETS_KEY_PREVIOUS: keyList.describe('Earlier ones, by commas, until `causeway keys rotate` has run.'),
  API_RATE_PER_MINUTE: whole(300, 0, 1_000_000).describe('Requests of one user in any minute; 0 sets no limit.'),
  API_RATE_PER_SECOND: whole(30, 0, 1_000_000).describe('Requests of one user in any second; 0 sets no limit.'),
  JSON_BODY_LIMIT: whole(MiB, 1024, 64 * MiB).describe('Bytes of a JSON request body.'),
  PACKAGE_BODY_LIMIT: whole(32 * MiB, 1024, 256 * MiB).describe('Bytes of an uploaded node package.'),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('The least severe lines that are written.'),
  INTROSPECTION: flag.describe('Lets clients read the graph, and serves GraphiQL, in production.'),
  PERSISTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('A JSON file of documents by their sha256, which clients then send instead of the text.'),
  PERSISTED_DOCUMENTS_ONLY: flag.describe('Refuses every other document, on HTTP and on sockets.'),
  WORKER_CONCURRENCY: whole(200, 1, 5_000).describe('Runs one worker process holds at a time.'),
  WORKER_LEASE_MS: whole(6_000, 500, 60_000).describe(
    'A worker silent for this long is dead; others take its runs over.',
  ),
  SANDBOX_ALLOW_NO_OS_BOUNDARY: flag.describe(
    'Runs package code in production although the host offers the sandbox no network namespace.',
  ),
  SEED_DEMO: z
    .enum(['0', '1'])
    .optional()
    .describe('1 makes a demo tenant in an empty database; the default everywhere but in production.'),
});

export type Env = Omit<z.infer<typeof environment>, 'SEED_DEMO'> & { SEED_DEMO: boolean };

/**
 * The only reader of process.env. Throws one sentence naming each variable that is wrong and what it takes.
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not usable. ${faults.join('. ')}.`);
  }
  const { SEED_DEMO: seed, ...rest } = parsed.data;
  const env = { ...rest, SEED_DEMO: seed === undefined ? rest.NODE_ENV !== 'production' : seed === '1' };
  if (env.NODE_ENV === 'production' && env.OIDC_ISSUER === undefined) {
    throw new Error('OIDC_ISSUER must name your identity provider in production; the development issuer is off there.');
  }
  if (env.NODE_ENV === 'production') {
    const missing = purposes.map(keyVariable).filter((name) => env[name] === undefined);
    if (missing.length > 0) {
      throw new Error(
        `${missing.join(' and ')} must be set in production: 32 bytes in base64, as \`npm run -s causeway -- keys generate\` prints them.`,
      );
    }
  }
  if (env.CREDENTIALS_KEY !== undefined && env.CREDENTIALS_KEY === env.SECRETS_KEY) {
    throw new Error(
      'CREDENTIALS_KEY and SECRETS_KEY must differ: one that leaks must not open what the other protects.',
    );
  }
  if (env.ROLE !== 'all' && env.DATABASE_URL === undefined) {
    throw new Error(`ROLE=${env.ROLE} needs DATABASE_URL; only ROLE=all brings a database of its own.`);
  }
  if (env.PERSISTED_DOCUMENTS_ONLY && env.PERSISTED_DOCUMENTS === undefined) {
    throw new Error(
      'PERSISTED_DOCUMENTS_ONLY=1 needs PERSISTED_DOCUMENTS to name the file of the documents it allows.',
    );
  }
  return env;
}

/** The environment for a child process: ours with `changes`. */
export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...changes,
});
