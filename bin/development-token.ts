import { devIssuerUrl, openDevIssuer, rememberedIssuer } from '#src/identity/dev-issuer.ts';
import type { Env } from '#src/process/env.ts';
import { CommandError } from './command.ts';

export interface TokenWishes {
  sub: string;
  email: string;
  name: string;
  org: string;
  roles: string[];
  /** Undefined leaves the claim out. */
  tenant: string | undefined;
  ttlSeconds: number;
}

/** A token from the development issuer, which the server on the same DATA_DIR accepts. */
export async function signDevelopmentToken(env: Env, wishes: TokenWishes): Promise<string> {
  if (env.OIDC_ISSUER !== undefined) {
    throw new CommandError(`The development issuer is off: get a token from ${env.OIDC_ISSUER}, or unset OIDC_ISSUER.`);
  }
  const issuer = await openDevIssuer({
    dataDir: env.DATA_DIR,
    issuer: (await rememberedIssuer(env.DATA_DIR)) ?? devIssuerUrl(env.PORT),
    audience: env.OIDC_AUDIENCE,
  });
  const claims = {
    sub: wishes.sub,
    email: wishes.email,
    name: wishes.name,
    [env.OIDC_CLAIM_ROLES]: wishes.roles,
    [env.OIDC_CLAIM_ORG]: wishes.org,
    ...(wishes.tenant !== undefined && { [env.OIDC_CLAIM_TENANT]: wishes.tenant }),
  };
  return issuer.sign(claims, wishes.ttlSeconds);
}
