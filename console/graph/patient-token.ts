import { SignedOut } from '#console/session/faults.ts';
import type { Session } from '#console/session/session.ts';
import { backoffMs, pause } from './pause.ts';

/** A token, once there is one: waits until the user has signed in again and until the issuer answers. Rejects when it is aborted. */
export async function patientToken(session: Session, refused?: string, signal?: AbortSignal): Promise<string> {
  for (let failures = 0; ; failures++) {
    try {
      return await session.accessToken(refused);
    } catch (error) {
      if (error instanceof SignedOut) await signedIn(session, signal);
      else await pause(backoffMs(failures), signal);
    }
  }
}

function signedIn(session: Session, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = session.subscribe(() => {
      if (session.state.kind !== 'signed-out') done(resolve);
    });
    const abort = (): void => done(() => reject(signal?.reason as Error));
    function done(settle: () => void): void {
      stop();
      signal?.removeEventListener('abort', abort);
      settle();
    }
    signal?.addEventListener('abort', abort);
  });
}
