import { useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session.ts';

/** The state of the session; the component is drawn again when it changes. */
export const useSessionState = (session: Session): SessionState =>
  useSyncExternalStore(
    (listener) => session.subscribe(listener),
    () => session.state,
  );
