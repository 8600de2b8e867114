import { createContext, useContext } from 'react';
import type { Session } from '#console/session/session.ts';

export const SessionContext = createContext<Session | null>(null);

/** The session of the user, whom every page of the frame has. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Draw this inside of App, which provides the session.');
  return session;
}
