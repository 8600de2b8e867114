import { createContext } from 'react';
import { Client, type Exchange, formatDocument, mapExchange } from 'urql';

/**
 * A client without a cache, for queries with large arguments or results that are rarely repeated. The cache would keep every result, with its
 * arguments as the key, until the page is closed.
 */
export const createUncachedClient = (url: string, transport: Exchange): Client =>
  new Client({
    url,
    preferGetMethod: false,
    requestPolicy: 'network-only',
    // The cache writes documents like this, and the build has extracted them so.
    exchanges: [
      mapExchange({ onOperation: (operation) => ({ ...operation, query: formatDocument(operation.query) }) }),
      transport,
    ],
  });

/** The client without a cache of the tenant that is shown. */
export const UncachedClient = createContext<Client | null>(null);
