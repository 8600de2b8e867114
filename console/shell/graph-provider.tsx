import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react';
import { Provider } from 'urql';
import { createGraphClient } from '#console/graph/client.ts';
import { UncachedClient } from '#console/graph/uncached.ts';
import { useSession } from './session-context.ts';

/** The graph of one tenant for one user; another tenant begins with an empty cache and a socket of its own. */
export function GraphProvider({ tenant, children }: { tenant: string | null; children: ReactNode }) {
  const session = useSession();
  // Another tab may sign in as another user, whose tokens this one then has too.
  const user = useSyncExternalStore(
    (listener) => session.subscribe(listener),
    () => session.claims.sub,
  );
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- a cache belongs to one user
  const graph = useMemo(() => createGraphClient({ session, tenant }), [session, tenant, user]);
  useEffect(() => () => graph.dispose(), [graph]);
  return (
    <Provider value={graph.client}>
      <UncachedClient value={graph.uncached}>{children}</UncachedClient>
    </Provider>
  );
}
