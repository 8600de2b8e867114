import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { loadStylesheet } from '#console/ui/stylesheet.ts';
import { type SignInReason, toFault } from './faults.ts';
import type { SignInNeeded } from './open-session.ts';
import { Reason } from './reason.tsx';
import { sessionWords } from './session.words.ts';
import signInStyles from '#console/ui/styles/sign-in.css?url';

// Not a part of the first view, of which most readers see none of this.
await loadStylesheet(new URL(signInStyles, import.meta.url).href);

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
      <svg className="sign-in-mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="6" />
        <path d="M5 21h22M9 21v-6M16 21v-9M23 21v-6M5 15q11-8 22 0" />
      </svg>
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
