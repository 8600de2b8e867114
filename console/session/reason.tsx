import type { SignInReason } from './faults.ts';
import { sessionWords } from './session.words.ts';

/** Why somebody is not signed in, with what the issuer said itself. */
export function Reason({ reason, detail }: { reason: SignInReason; detail: string | null }) {
  return (
    <p className="session-reason">
      {sessionWords[reason]} {detail !== null && <q>{sessionWords.issuerSays(detail)}</q>}
    </p>
  );
}
