import type { ConsoleConfig } from '#src/identity/console-config.ts';
import { devIssuerUrl, isDevIssuer, openDevIssuer, rememberIssuer } from '#src/identity/dev-issuer.ts';
import type { DevSignIn } from '#src/identity/dev-sign-in/dev-sign-in.ts';
import { discoverKeys } from '#src/identity/provider-keys.ts';
import { createTokenVerifier, type TokenVerifier } from '#src/identity/tokens.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';
import type { Logger } from '#src/infra/logs/logger.ts';
import type { Env } from './env.ts';

/** Opens the verifier for tokens of OIDC_ISSUER, or of the development issuer when that is unset (env.ts refuses that in production). */
export async function openIdentity(
  env: Env,
  port: number,
  /** Receives the reason when the provider's keys cannot be read. */
  log?: Pick<Logger, 'warn'>,
): Promise<{ verifier: TokenVerifier; consoleConfig: ConsoleConfig; devSignIn?: DevSignIn }> {
  const audience = env.OIDC_AUDIENCE;
  const claims = {
    roles: env.OIDC_CLAIM_ROLES,
    org: env.OIDC_CLAIM_ORG,
    tenant: env.OIDC_ISSUER === undefined || env.LEGACY_TENANT_CLAIM ? env.OIDC_CLAIM_TENANT : null,
    tenants: env.OIDC_CLAIM_TENANTS,
  };
  const client = { clientId: env.CONSOLE_CLIENT_ID, scopes: env.CONSOLE_SCOPES, audience };
  const issuer = env.OIDC_ISSUER;
  if (issuer !== undefined) {
    const onError = (error: unknown): void => {
      const reason = error instanceof Error ? error.message : String(error);
      log?.warn({ issuer, reason }, 'The keys of the identity provider could not be read; tokens may be answered 503.');
    };
    const keys = discoverKeys(issuer, { egress: egressTo(issuer, env), onError });
    const verifier = createTokenVerifier({ issuer, audience, claims, keys });
    return { verifier, consoleConfig: { issuer, ...client } };
  }
  const devIssuer = await openDevIssuer({ dataDir: env.DATA_DIR, issuer: devIssuerUrl(port), audience });
  await rememberIssuer(env.DATA_DIR, devIssuer.issuer);
  const verifier = createTokenVerifier({ keys: devIssuer.keys, issuer: isDevIssuer, audience, claims });
  const redirectUris = ['localhost', '127.0.0.1'].map((host) => `http://${host}:${port}/console/callback`);
  return {
    verifier,
    consoleConfig: { issuer: devIssuer.issuer, ...client },
    devSignIn: {
      issuer: devIssuer,
      clients: [{ id: client.clientId, redirectUris: [...redirectUris, ...env.DEV_REDIRECT_URIS] }],
      claims,
      dataDir: env.DATA_DIR,
    },
  };
}

/** The operator configured the issuer, so it may have a private address, which workflows may not call. */
function egressTo(issuer: string, env: Env): Egress {
  const { hostname, port, protocol } = new URL(issuer);
  const itself = `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
  return createEgress({ allow: parseAllowList([itself, ...env.EGRESS_ALLOW].join(',')), connections: 2 });
}
