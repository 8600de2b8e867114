import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '#console/graph/graphql.ts';
import { Button } from '#console/ui/button.tsx';
import type { Session } from './session.ts';
import { sessionWords } from './session.words.ts';

const SessionRoles = graphql(`
  query SessionRoles {
    me { context { roles } }
  }
`);

/** Says so when a new token has fewer roles than the one before, because buttons that are still there are then refused. */
export function RolesNotice({ session }: { session: Session }) {
  const client = useClient();
  const [lost, setLost] = useState<string[]>([]);
  useEffect(
    () =>
      session.subscribe(() => {
        if (session.state.kind !== 'signed-in') return;
        // The page asked for the roles of its user when it was opened.
        const before = client.readQuery(SessionRoles, {}, { requestPolicy: 'cache-only' })?.data?.me.context.roles;
        if (!before) return;
        void client.query(SessionRoles, {}, { requestPolicy: 'network-only' }).then(({ data }) => {
          const { roles } = data?.me.context ?? {};
          if (roles) setLost((shown) => [...new Set([...shown, ...before])].filter((role) => !roles.includes(role)));
        });
      }),
    [session, client],
  );
  if (lost.length === 0) return null;
  return (
    <div role="alert" className="session-banner">
      <p>{sessionWords.fewerRoles(lost.join(', '))}</p>
      <Button onPress={() => setLost([])}>{sessionWords.close}</Button>
    </div>
  );
}
