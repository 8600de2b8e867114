import { openDevIssuer, rememberedIssuer } from '#src/identity/dev-issuer.ts';
import type { Env } from '#src/process/env.ts';
import { CommandError } from './command.ts';

export interface TokenRequest {
  sub: string;
  email: string;
  name: string;
  org: string;
  roles: string[];
  /** If undefined, the claim is absent. */
  tenant: string | undefined;
  ttlSeconds: number;
}

/** A token from the development issuer, which the server on the same DATA_DIR accepts. */
export async function signDevelopmentToken(env: Env, request: TokenRequest): Promise<string> {
  if (env.OIDC_ISSUER !== undefined) {
    throw new CommandError(`The development issuer is off: get a token from ${env.OIDC_ISSUER}, or unset OIDC_ISSUER.`);
  }
  const url = await rememberedIssuer(env.DATA_DIR);
  if (url === undefined) {
    throw new CommandError(
      `No server has started with DATA_DIR=${env.DATA_DIR} yet. Run npm start first, or set DATA_DIR.`,
    );
  }
  const issuer = await openDevIssuer({
    dataDir: env.DATA_DIR,
    issuer: url,
    audience: env.OIDC_AUDIENCE,
  });
  const claims = {
    sub: request.sub,
    email: request.email,
    name: request.name,
    [env.OIDC_CLAIM_ROLES]: request.roles,
    [env.OIDC_CLAIM_ORG]: request.org,
    ...(request.tenant !== undefined && { [env.OIDC_CLAIM_TENANT]: request.tenant }),
  };
  return issuer.sign(claims, request.ttlSeconds);
}
