import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { type SignInReason, toFault } from './faults.ts';
import type { SignInNeeded } from './open-session.ts';
import { Reason } from './reason.tsx';
import { sessionWords } from './session.words.ts';

/** Reasons that another try on this page cannot change. */
const isFinal = (reason: SignInReason): boolean => reason === 'insecure' || reason === 'window-done';

/** The page of somebody who is not signed in: why, and a button. */
export function SignInPage({ needed }: { needed: SignInNeeded }) {
  const [why, setWhy] = useState<Pick<SignInNeeded, 'reason' | 'detail'>>(needed);
  const [isLeaving, setLeaving] = useState(false);
  async function signIn(): Promise<void> {
    setLeaving(true);
    try {
      await needed.signIn();
    } catch (error) {
      setWhy(toFault(error, 'interrupted'));
      setLeaving(false);
    }
  }
  return (
    <main className="sign-in">
      <PageHeading text={sessionWords.title} />
      <div role="status">
        <Reason {...why} />
      </div>
      {!isFinal(why.reason) && (
        <Button kind="main" isBusy={isLeaving} onPress={() => void signIn()}>
          {sessionWords.signIn}
        </Button>
      )}
    </main>
  );
}
