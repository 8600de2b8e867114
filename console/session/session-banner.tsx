import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { type SignInReason, toFault } from './faults.ts';
import { Reason } from './reason.tsx';
import { RolesNotice } from './roles-notice.tsx';
import type { Session } from './session.ts';
import { sessionWords } from './session.words.ts';
import { useSessionState } from './use-session.ts';

/**
 * Says above the page that the user was signed out, that the issuer does not answer, or that a role is gone; nothing while all is well. Signing in again happens in
 * a window of its own, so that the page keeps what was entered.
 */
export function SessionBanner({ session }: { session: Session }) {
  const state = useSessionState(session);
  const [fault, setFault] = useState<{ reason: SignInReason; detail: string | null } | null>(null);
  if (state.kind === 'signed-in') return <RolesNotice session={session} />;
  if (state.kind === 'waiting') {
    return (
      <div role="status" className="session-banner">
        <p>{sessionWords.waiting}</p>
      </div>
    );
  }
  const signIn = (): void => {
    setFault(null);
    session.signIn().catch((error: unknown) => setFault(toFault(error, 'interrupted')));
  };
  return (
    <div role="alert" className="session-banner">
      <p>
        <strong>{sessionWords.signedOut}</strong> {sessionWords.keepsInput}
      </p>
      <Reason {...(fault ?? state)} />
      <Button kind="main" onPress={signIn}>
        {sessionWords.signInAgain}
      </Button>
    </div>
  );
}
