import { resolve } from 'node:path';
import { z } from 'zod';
import { allowListFault } from '#src/infra/egress/allow-list.ts';
import { parseKey } from '#src/infra/vault/key-ring.ts';
import { assertConsistent } from './consistent-settings.ts';
import { findMisspelled } from './misspelled-names.ts';

/** A URL of a unix socket has a user and no host, which only Postgres accepts as a URL. */
const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\/./.test(text) && isEscaped(text) && URL.canParse(text.replace('@/', '@host/'));

/** Postgres decodes the parts of the URL, so a bare percent sign in a password is a fault. */
const isEscaped = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text);

/** A whole number read from text, between `min` and `max`. */
const whole = (fallback: number, min: number, max: number) => {
  const message = `takes a whole number from ${min} to ${max}`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message).default(fallback);
};
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
const notADatabase =
  'must be a URL such as postgres://user:password@host:5432/database, with #, /, ? and % in the password written as %23, %2F, %3F and %25';
const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text && text !== 'null';
const isLoopbackUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && url.hash === '';
};
const notAMailServer =
  'must be a URL such as smtp://user:password@host:587, with #, /, ?, @ and % in the password written as %23, %2F, %3F, %40 and %25';
const isMailServer = (text: string): boolean => {
  const url = URL.parse(text);
  return (url?.protocol === 'smtp:' || url?.protocol === 'smtps:') && url.hostname !== '' && isEscaped(url.password);
};
/** On one line and with one address, so that it is one header. */
const isSender = /^(?:[^<>@",;:\p{Cc}]{1,100}<[^\s<>@]+@[\w.-]+>|[^\s<>@]+@[\w.-]+)$/u;
const key = z
  .string()
  .refine((text) => parseKey(text) !== undefined, notAKey)
  .optional();
const keyList = list.refine((keys) => keys.every((text) => parseKey(text) !== undefined), notAKey);

/** All variables; docs/configuration.md is generated from the descriptions. */
export const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'])
    .default('development')
    .describe('`production` disables the development issuer, the demo and introspection.'),
  ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('What this process runs: API and workers, or only one of them (which needs DATABASE_URL).'),
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on; 0.0.0.0 for all interfaces.'),
  PORT: whole(4000, 0, 65_535).describe('Port the API listens on; 0 picks a free one.'),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that /metrics, /healthz and /readyz are served on, apart from the API.'),
  METRICS_PORT: whole(9464, 0, 65_535).describe(
    'Port of /metrics, /healthz and /readyz, in every role; 0 picks a free one. With ROLE=all the worker adds none of its own.',
  ),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      'Base of the URLs that clients get (signed image links, the OAuth redirect URI); http://localhost:PORT when unset.',
    ),
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(path))
    .describe('Directory of the embedded Postgres, stored files and development keys.'),
  S3_BUCKET: z
    .string()
    // It becomes part of URLs.
    .regex(/^[\w.-]{1,255}$/, 'takes the name of a bucket')
    .optional()
    .describe(
      'Bucket of S3, or of a service with its API, for [stored files](production.md#files); DATA_DIR/storage when unset.',
    ),
  S3_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of a service with the API of S3, which is called with the bucket in the path; AWS when unset.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe(
      'Access key of the bucket. When unset, credentials are found as the AWS SDK does: the role of the machine, for one.',
    ),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('The secret of S3_ACCESS_KEY_ID.'),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, notADatabase)
    .optional()
    .describe(
      'URL of your own Postgres, as the owner of the database ([setup](database.md)). When unset, an embedded Postgres is started.',
    ),
  DATABASE_REPLICA_URL: z
    .string()
    .refine(isPostgresUrl, notADatabase)
    .optional()
    .describe(
      'URL of standbys of the server of DATABASE_URL, as the same user, which [answer reads of tenants](databases.md#read-replicas). When unset, that server answers all.',
    ),
  DATABASE_APP_URL: z
    .string()
    .refine(isPostgresUrl, notADatabase)
    .optional()
    .describe(
      'URL of the same database through a [pooler](database.md#poolers) in transaction mode, with a login that may act as causeway_app. Set together with DATABASE_SYSTEM_URL, or not at all.',
    ),
  DATABASE_SYSTEM_URL: z
    .string()
    .refine(isPostgresUrl, notADatabase)
    .optional()
    .describe('The same with a login that may act as causeway_app and as causeway_system.'),
  WAKE_UP: z
    .enum(['listen', 'poll'])
    .default('listen')
    .describe(
      'How processes learn what others have committed: by LISTEN and NOTIFY, or by reading the tables each second, for [servers that lack them](databases.md#servers-without-listen); the same for all processes.',
    ),
  DATABASE_POOL: whole(10, 2, 200).describe(
    'Size of the application pool of each process. Its tenant SQL and system pools have half of that each, at least 4 ([connections](database.md#connections)).',
  ),
  INSTALLATION: whole(0, 0, 255).describe(
    'Number of this installation among [several](several-installations.md), from which its ids derive. The first migration fixes it; a start with another is refused.',
  ),
  OIDC_ISSUER: z
    .url()
    .optional()
    .describe('URL of your identity provider, whose keys are found by OIDC discovery. Required in production.'),
  CONSOLE: z
    .enum(['on', 'off', 'watch'])
    .default('on')
    .describe(
      'Whether the API serves the [console](production.md#the-console) at /console/; `watch` builds it again whenever a source changes, for those who work on it.',
    ),
  CONSOLE_CLIENT_ID: z
    .string()
    .min(1)
    .default('causeway-console')
    .describe(
      'Client id of the console at the identity provider: a public client with the authorization code flow and PKCE.',
    ),
  CONSOLE_SCOPES: list
    .default(['openid', 'profile', 'email', 'offline_access'])
    .describe('Scopes that the console asks for, separated by commas.'),
  DEV_REDIRECT_URIS: list
    .refine((uris) => uris.every(isLoopbackUrl), 'Each must be an http URL of localhost, 127.0.0.1 or [::1]')
    .describe(
      "Addresses on this machine to which the development sign-in may return, besides the console's; for an editor of your own.",
    ),
  OIDC_AUDIENCE: z.string().default('causeway').describe('Audience that tokens must have.'),
  OIDC_CLAIM_ROLES: z.string().default('roles').describe('Claim that lists the roles: user, admin, operator.'),
  OIDC_CLAIM_ORG: z.string().default('org_id').describe('Claim that names the organisation.'),
  OIDC_CLAIM_TENANT: z
    .string()
    .default('tenant_id')
    .describe(
      'Claim that names the tenant when the X-Tenant-Id header is missing, where LEGACY_TENANT_CLAIM allows it.',
    ),
  LEGACY_TENANT_CLAIM: flag.describe(
    'Lets the claim of OIDC_CLAIM_TENANT of tokens of OIDC_ISSUER stand in for the X-Tenant-Id header, as tokens of the development issuer always may.',
  ),
  OIDC_CLAIM_TENANTS: z
    .string()
    .default('tenants')
    .describe("Claim that limits the token to some of the organisation's tenants."),
  EGRESS_ALLOW: list
    .superRefine((entries, context) => {
      for (const message of entries.map(allowListFault)) {
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }
    })
    .describe('Comma-separated host:port pairs that may be called although their addresses are private.'),
  SMTP_URL: z
    .string()
    .refine(isMailServer, notAMailServer)
    .optional()
    .describe(
      'Mail server for [alerts](tenant-alerts.md), as smtp://user:password@host:587, or smtps:// for TLS from the first byte; tenants can only use webhooks when unset.',
    ),
  SMTP_FROM: z
    .string()
    .regex(isSender, 'takes an address such as alerts@example.com, or a name before it: Alerts <alerts@example.com>')
    .optional()
    .describe('Sender of that mail: an address, or a name and the address in angle brackets. SMTP_URL needs it.'),
  URL_SIGNING_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Secret that signs links to files and images, and from which the secrets of [theme extensions](theme-blocks.md) are derived; the same on all machines. When unset, one is created in DATA_DIR.',
    ),
  CREDENTIALS_KEY: key.describe(
    'Key that encrypts the data keys of credentials. Required in production; when unset, one is created in DATA_DIR/keys.',
  ),
  CREDENTIALS_KEY_PREVIOUS: keyList.describe('Previous keys, comma-separated, until `causeway keys rotate` has run.'),
  SECRETS_KEY: key.describe('The same for tenant secrets; it must be a different key.'),
  SECRETS_KEY_PREVIOUS: keyList.describe('Previous keys, comma-separated, until `causeway keys rotate` has run.'),
  API_RATE_PER_MINUTE: whole(300, 0, 1_000_000).describe(
    'Requests that one user may make in any minute; 0 means no limit.',
  ),
  API_RATE_PER_SECOND: whole(30, 0, 1_000_000).describe(
    'Requests that one user may make in any second; 0 means no limit.',
  ),
  PLATFORM_RATE: whole(100, 0, 1_000_000).describe(
    "Requests a second that refill a tenant's bucket, which all of its API keys share; 0 means no limit.",
  ),
  PLATFORM_BURST: whole(200, 1, 1_000_000).describe('Requests that the bucket of a tenant holds.'),
  CORS_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), 'takes origins such as https://shop.example, separated by commas')
    .describe(
      'Comma-separated origins whose pages may call GraphQL, REST and sockets from a browser. Except in production, any http://localhost:PORT may as well.',
    ),
  SOCKETS_PER_ADDRESS: whole(200, 0, 20_000).describe(
    'WebSockets that one address may hold open before they have shown a valid token; 0 means no limit. [Behind a proxy](production.md#behind-a-proxy) all have its address.',
  ),
  WRONG_KEYS_PER_MINUTE: whole(60, 0, 1_000_000).describe(
    'Wrong API keys that one address may send in a minute, to each process; more are answered 429, and good keys still pass, [behind a proxy](production.md#behind-a-proxy) too. 0 means no limit.',
  ),
  JSON_BODY_LIMIT: whole(MiB, 1024, 64 * MiB).describe('Largest JSON request body, in bytes.'),
  PACKAGE_BODY_LIMIT: whole(32 * MiB, 1024, 256 * MiB).describe('Largest upload of a node package, in bytes.'),
  UPLOAD_URL_TTL_SECONDS: whole(900, 1, 86_400).describe(
    'Seconds for which a file may be sent to the signed address of an upload.',
  ),
  SFTP_STABLE_MS: whole(5_000, 0, 600_000).describe(
    'Milliseconds for which the size and time of a file on an SFTP server must stay the same before it is fetched.',
  ),
  RUN_FILE_BYTES: whole(1024 * MiB, 1, 64 * 1024 * MiB).describe('Bytes that one file of a run may have.'),
  RUN_FILES_PER_RUN: whole(1_000, 1, 100_000).describe('Files that the steps of one run may make or read.'),
  RUN_FILES_TENANT_BYTES: whole(50 * 1024 * MiB, 1, 2 ** 50).describe(
    'Bytes that the files of all runs of a tenant may have together.',
  ),
  IMPORT_PAIRS: flag.describe(
    'Merges two chunks of an import at a time: [sooner where Postgres has idle cores](decisions/import-chunks-merge-in-pairs.md), and slower runs beside it where not.',
  ),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Lowest level that is logged.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Base URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://localhost:4318, for [traces](tracing.md); none are recorded when unset.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('takes a number from 0 to 1')
    .min(0, 'takes a number from 0 to 1')
    .max(1, 'takes a number from 0 to 1')
    .default(1)
    .describe(
      'Share of the traces that begin here which are recorded, from 0 to 1; those of callers say it themselves.',
    ),
  OTEL_SERVICE_NAME: z.string().min(1).default('causeway').describe('Name under which the collector shows the spans.'),
  INTROSPECTION: flag.describe('Enables introspection and GraphiQL in production.'),
  PERSISTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('JSON file of persisted documents, keyed by the sha256 that clients send instead of the text.'),
  PERSISTED_DOCUMENTS_ONLY: flag.describe(
    "Refuses all documents but those of PERSISTED_DOCUMENTS and the console's own, over HTTP and WebSockets.",
  ),
  WORKER_CONCURRENCY: whole(200, 1, 5_000).describe('Runs that one worker process executes at a time.'),
  WORKER_LEASE_MS: whole(6_000, 500, 60_000).describe(
    'A worker that has not renewed its lease for this long counts as dead, and others take over its runs.',
  ),
  SANDBOX_ALLOW_NO_OS_BOUNDARY: flag.describe(
    'Runs package code in production although the host does not give the sandbox files, processes and a network of its own.',
  ),
  SEED_DEMO: z
    .enum(['0', '1'])
    .optional()
    .describe('1 creates a demo tenant with a shop in an empty database; the default except in production.'),
});

export type Env = Omit<z.infer<typeof environment>, 'SEED_DEMO'> & { SEED_DEMO: boolean };

/** The only reader of process.env. Throws an error with one sentence that names each invalid variable and the values it takes. */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is invalid. ${faults.join('. ')}.`);
  }
  const { SEED_DEMO: seed, ...rest } = parsed.data;
  const env = { ...rest, SEED_DEMO: seed === undefined ? rest.NODE_ENV !== 'production' : seed === '1' };
  assertConsistent(env);
  return env;
}

/** The URLs of poolers; both are set, or neither. */
export const readPoolers = ({
  DATABASE_APP_URL: appUrl,
  DATABASE_SYSTEM_URL: systemUrl,
}: Env): { poolers?: { appUrl: string; systemUrl: string } } =>
  appUrl === undefined || systemUrl === undefined ? {} : { poolers: { appUrl, systemUrl } };

/** A sentence for each variable that is not a setting, but is spelled almost like one. */
export const misspelledSettings = (source: Readonly<Record<string, string | undefined>> = process.env): string[] =>
  findMisspelled(Object.keys(source), Object.keys(environment.shape)).map(
    ({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`,
  );

/** How the user calls the CLI, if the command of the archive started this process. */
export const archiveCli = (): string | undefined => process.env['CAUSEWAY_CLI'];

/** The variables that another process needs to find the server with these settings: those that differ from the defaults. */
export function unlikeDefaults(settings: Pick<Env, 'PORT' | 'DATA_DIR'>): Record<string, string> {
  const defaults = environment.parse({});
  const names = (['PORT', 'DATA_DIR'] as const).filter((name) => settings[name] !== defaults[name]);
  return Object.fromEntries(names.map((name) => [name, String(settings[name])]));
}

/** The environment of a child process: that of this process with `changes`. */
export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...changes,
});
