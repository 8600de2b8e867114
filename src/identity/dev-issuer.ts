import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';

/** An OIDC issuer for development: its key is in the data directory and it signs any claims. */
export interface DevIssuer {
  issuer: string;
  keys: JWTVerifyGetKey;
  jwks: { keys: JWK[] };
  /** Signs a token for the API, or for the given audience. */
  sign(claims: Record<string, unknown>, ttlSeconds: number, audience?: string): Promise<string>;
  /** The client and subject of an id token that this issuer signed, expired or not; undefined for anything else. */
  readIdToken(token: string): Promise<{ clientId: string; sub: string } | undefined>;
}

const algorithm = 'ES256';

/** The development issuer's URL for a server on `port`. */
export const devIssuerUrl = (port: number): string => `http://localhost:${port}/dev/oidc`;

/** Processes on one data directory share the key, but each has its own port, so every port is accepted. */
export const isDevIssuer = (iss: string): boolean => /^http:\/\/localhost:\d+\/dev\/oidc$/.test(iss);

/** Opens the issuer; creates its key the first time. */
export async function openDevIssuer(options: {
  dataDir: string;
  issuer: string;
  audience: string;
}): Promise<DevIssuer> {
  const secret = await readOrCreateKey(join(options.dataDir, 'dev-oidc'));
  const key = await importJWK(secret, algorithm);
  const { d: _private, ...rest } = secret;
  const kid = await calculateJwkThumbprint(rest);
  const jwks = { keys: [{ ...rest, kid, alg: algorithm, use: 'sig' }] };
  const keys = createLocalJWKSet(jwks);
  return {
    issuer: options.issuer,
    jwks,
    keys,
    sign: (claims, ttlSeconds, audience = options.audience) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
        .setIssuer(options.issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1_000) + ttlSeconds)
        .sign(key),
    async readIdToken(token) {
      try {
        // A user who comes back after a night signs out with an id token that has expired.
        const { payload } = await jwtVerify(token, keys, { issuer: options.issuer, currentDate: new Date(0) });
        const { aud, sub } = payload;
        return typeof aud === 'string' && sub !== undefined ? { clientId: aud, sub } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Stores the issuer of a running server, which names its port, for commands that sign tokens on the same data directory. */
export async function rememberIssuer(dataDir: string, issuer: string): Promise<void> {
  const directory = join(dataDir, 'dev-oidc');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'issuer'), issuer);
}

/** The issuer of the last server that ran on this data directory. */
export async function rememberedIssuer(dataDir: string): Promise<string | undefined> {
  const issuer = await readFile(join(dataDir, 'dev-oidc', 'issuer'), 'utf8').catch(() => '');
  return issuer === '' ? undefined : issuer;
}

async function readOrCreateKey(directory: string): Promise<JWK> {
  const file = join(directory, 'key.json');
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as JWK;
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  // Written to a temporary file and renamed, so that a server and the token command that start together never read half a key.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
  return read();
}

/** The discovery document served at `<issuer>/.well-known/openid-configuration`. */
export const devDiscovery = (issuer: string): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  end_session_endpoint: `${issuer}/end_session`,
  jwks_uri: `${issuer}/jwks`,
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [algorithm],
});
