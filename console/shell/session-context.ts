import { createContext } from 'react';

/** What the frame needs of the session. */
export const SessionContext = createContext<{ signOut: () => Promise<void> }>({ signOut: () => Promise.resolve() });
