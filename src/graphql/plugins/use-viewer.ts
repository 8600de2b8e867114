import type { Plugin } from 'graphql-yoga';
import { type Context, createContext, type Incoming, type Viewer } from '#src/graphql/context.ts';
import { createTenantResolver, createUserDirectory } from '#src/identity/tenants.service.ts';
import type { Identity, TokenVerifier } from '#src/identity/tokens.ts';
import type { Deps } from '#src/infra/deps.ts';
import { accessError } from '#src/infra/errors.ts';

const bearer = /^Bearer +(\S+)$/i;

/** Verifies the token, finds user and tenant, and makes the context the resolvers see; both faces go through here. */
export function useViewer(deps: Deps, verifier: TokenVerifier): Plugin<{ incoming: Incoming }> {
  const tenantOf = createTenantResolver(deps.database);
  const userIdOf = createUserDirectory(deps.database);

  // No header is nobody, who may see what is public; a header that is not a good token is refused.
  async function identityOf({ authorization }: Incoming): Promise<Identity | null> {
    if (authorization === null) return null;
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) throw accessError('UNAUTHENTICATED');
    return verifier.verify(token);
  }

  async function contextOf(incoming: Incoming): Promise<Context> {
    const identity = await identityOf(incoming);
    if (!identity) return createContext(deps, incoming, null, null);
    const [userId, tenant] = await Promise.all([userIdOf(identity), tenantOf(identity, incoming.tenantHeader)]);
    const viewer: Viewer = { ...identity, userId };
    return createContext(deps, incoming, viewer, tenant);
  }

  return {
    async onContextBuilding({ context, extendContext }) {
      extendContext((await contextOf(context.incoming)) as never);
    },
  };
}
