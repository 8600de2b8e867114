import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#src/infra/deps.ts';
import { readPosition, writePosition } from '#src/infra/postgres/replica/wal-position.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant that the request has written in. */
    wroteIn: string | null;
  }
}

/**
 * The header of an answer to a write where reads may be answered by a replica. A caller that sends it back with its reads finds what it
 * wrote, whichever process answers; the process that took the write knows anyway.
 */
const readAfterHeader = 'x-read-after';

type Access = Pick<Deps, 'database' | 'cursors'>;

const bindTo = (tenantId: string) => ['read-after', tenantId];

/**
 * Returns a token that covers all of the tenant's writes so far; undefined without a replica, or while the primary does not report its
 * position. The token begins with the position, so that tokens can be compared: answers may arrive in another order than their writes, and
 * a client keeps the greatest token.
 */
export async function signReadAfter({ database, cursors }: Access, tenantId: string): Promise<string | undefined> {
  try {
    const position = await database.replica?.positions.now();
    const place = position && writePosition(position);
    return place && `${place}.${cursors.sign(bindTo(tenantId), place)}`;
  } catch {
    // The write is done, and its answer must not fail for this.
    return undefined;
  }
}

/** Has reads of the tenant find what the token stands for. One that was not signed for the tenant is ignored. */
export function heedReadAfter({ database, cursors }: Access, tenantId: string, token: string): void {
  const [place = '', signed = ''] = token.split('.');
  if (cursors.open(bindTo(tenantId), signed) === place)
    database.replica?.positions.heard(tenantId, readPosition(place));
}

/** What a request says by the header, and how its answer gets one. */
export function readAfterHeaders(request: FastifyRequest): { readAfter?: string; wrote: (tenantId: string) => void } {
  const readAfter = request.headers[readAfterHeader];
  return {
    ...(typeof readAfter === 'string' && { readAfter }),
    wrote(tenantId) {
      request.wroteIn = tenantId;
    },
  };
}

/** Gives the answers to writes their token, where there is a replica. */
export function addReadAfter(app: FastifyInstance, deps: Access): void {
  app.decorateRequest('wroteIn', null);
  if (!deps.database.replica) return;
  app.addHook('onSend', async ({ wroteIn }, reply) => {
    const token = wroteIn === null ? undefined : await signReadAfter(deps, wroteIn);
    if (token !== undefined) reply.header(readAfterHeader, token);
  });
}
