import { keyVariable, purposes } from '#src/infra/vault/key-ring.ts';
import type { Env } from './env.ts';

/** Settings that belong together: both are set, or neither. */
const pairs = [
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['SMTP_URL', 'SMTP_FROM'],
  ['DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
] as const;

/** Throws an error with one sentence if settings that are valid by themselves do not fit each other. */
export function assertConsistent(env: Env): void {
  for (const [one, other] of pairs)
    if ((env[one] === undefined) !== (env[other] === undefined))
      throw new Error(`${one} and ${other} belong together; set both, or neither.`);
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
      'CREDENTIALS_KEY and SECRETS_KEY must differ, so that one that leaks does not open what the other protects.',
    );
  }
  if (env.S3_BUCKET === undefined && (env.S3_ENDPOINT ?? env.S3_ACCESS_KEY_ID) !== undefined) {
    throw new Error('S3_BUCKET must name the bucket that S3_ENDPOINT and S3_ACCESS_KEY_ID are for.');
  }
  if (env.DATABASE_APP_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new Error(
      'DATABASE_APP_URL and DATABASE_SYSTEM_URL lead through a pooler to the database of DATABASE_URL, which must be set as well.',
    );
  }
  if (env.ROLE !== 'all' && env.DATABASE_URL === undefined) {
    throw new Error(`ROLE=${env.ROLE} needs DATABASE_URL; only ROLE=all starts an embedded one.`);
  }
  if (env.PERSISTED_DOCUMENTS_ONLY && env.PERSISTED_DOCUMENTS === undefined && env.CONSOLE === 'off') {
    throw new Error(
      "PERSISTED_DOCUMENTS_ONLY=1 allows the console's documents and those of PERSISTED_DOCUMENTS. With CONSOLE=off it needs that file.",
    );
  }
  if (env.PERSISTED_DOCUMENTS_ONLY && env.CONSOLE === 'watch') {
    throw new Error(
      'PERSISTED_DOCUMENTS_ONLY=1 takes the documents of the console at the start, so it does not work with CONSOLE=watch, which changes them later.',
    );
  }
}
