import { Client } from 'urql';
import type { Session } from '#console/session/session.ts';
import { ConnectionWatch } from './connection.ts';
import { cachedExchanges } from './exchanges.ts';
import { createTransport } from './transport.ts';
import { createUncachedClient } from './uncached.ts';

export interface GraphClient {
  client: Client;
  /** See createUncachedClient. */
  uncached: Client;
  /** Closes the socket. */
  dispose: () => void;
}

/**
 * The client of the graph for one tenant and one user; make another when either changes, because the cache knows of neither. `base` is the
 * address of the server with the path of PUBLIC_URL, as the page's `<base href>` has it.
 */
export function createGraphClient(options: {
  session: Session;
  /** The slug that `x-tenant-id` names; null outside of any tenant. */
  tenant: string | null;
  base?: string;
}): GraphClient {
  const { session, tenant, base = document.baseURI } = options;
  const connection = new ConnectionWatch();
  const url = new URL('graphql', base).href;
  const { exchange, close } = createTransport({ url, session, tenant, connection });
  // With `preferGetMethod`, and with the extension `persistedQuery`, the server would not be sent the text that the build has extracted.
  const client = new Client({
    url,
    preferGetMethod: false,
    exchanges: cachedExchanges(exchange),
  });
  return {
    client,
    uncached: createUncachedClient(url, exchange),
    dispose: () => {
      connection.end();
      close();
    },
  };
}
