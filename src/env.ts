import { resolve } from 'node:path';
import { z } from 'zod';

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
  .transform((text) => text.split(',').map((part) => part.trim()).filter(Boolean));
const MiB = 1024 * 1024;

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(4000, 0, 65_535),
  /** Base of links handed out (signed images, OpenAPI servers); the listening address when unset. */
  PUBLIC_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data').transform((path) => resolve(path)),
  DATABASE_URL: z.string().optional(),
  DATABASE_POOL: whole(10, 2, 200),
  DATABASE_BACKEND: z.enum(['postgres', 'citus', 'yugabytedb', 'cockroachdb']).default('postgres'),
  OIDC_ISSUER: z.url().optional(),
  OIDC_AUDIENCE: z.string().default('causeway'),
  OIDC_CLAIM_ROLES: z.string().default('roles'),
  OIDC_CLAIM_ORG: z.string().default('org_id'),
  OIDC_CLAIM_TENANT: z.string().default('tenant_id'),
  OIDC_CLAIM_TENANTS: z.string().default('tenants'),
  EGRESS_ALLOW: list,
  /** Signs links to images; at least 32 characters, the same on every machine. Kept in DATA_DIR when unset. */
  URL_SIGNING_SECRET: z.string().min(32).optional(),
  JSON_BODY_LIMIT: whole(MiB, 1024, 64 * MiB),
  PACKAGE_BODY_LIMIT: whole(32 * MiB, 1024, 256 * MiB),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  INTROSPECTION: flag,
  /** Concurrent runs one worker process holds. */
  WORKER_CONCURRENCY: whole(200, 1, 5_000),
  /** A worker whose lease is this old is dead; others take its runs over. */
  WORKER_LEASE_MS: whole(6_000, 500, 60_000),
  /** Runs package code without any boundary of the operating system, in production, after all. */
  SANDBOX_ALLOW_NO_OS_BOUNDARY: flag,
  /** 1 makes a demo tenant in an empty database; the default everywhere but in production. */
  SEED_DEMO: z.enum(['0', '1']).optional(),
});

export type Env = Omit<z.infer<typeof schema>, 'SEED_DEMO'> & { SEED_DEMO: boolean };

/**
 * The only reader of process.env. Throws one sentence naming each variable that is wrong and what it takes.
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not usable. ${faults.join('. ')}.`);
  }
  const { SEED_DEMO: seed, ...rest } = parsed.data;
  const env = { ...rest, SEED_DEMO: seed === undefined ? rest.NODE_ENV !== 'production' : seed === '1' };
  if (env.NODE_ENV === 'production' && env.OIDC_ISSUER === undefined) {
    throw new Error('OIDC_ISSUER must name your identity provider in production; the development issuer is off there.');
  }
  if (env.ROLE !== 'all' && env.DATABASE_URL === undefined) {
    throw new Error(`ROLE=${env.ROLE} needs DATABASE_URL; only ROLE=all brings a database of its own.`);
  }
  return env;
}

/** The environment for a child process: ours with `changes`. */
export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...changes });
