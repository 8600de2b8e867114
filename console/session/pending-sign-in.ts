import type { ConsoleConfig } from './config.ts';
import { SignInFault } from './faults.ts';
import type { Attempt, Metadata } from './provider.ts';

/** A sign-in for which this tab has left the page. It holds no token: the verifier is of no use without the code. */
export interface PendingSignIn extends Attempt {
  /** The address to return to. */
  returnTo: string;
  /** What the page that left had read, so that the one that returns, at the same issuer, reads none of it again. */
  config: ConsoleConfig;
  metadata: Metadata;
  /** Milliseconds that the server's clock is ahead of the browser's. */
  aheadMs: number;
}

const key = 'causeway.sign-in';

/** Keeps the attempt for the return to this tab. Throws a SignInFault where storage is blocked or full. */
export function keepPending(pending: PendingSignIn): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(pending));
  } catch (error) {
    throw new SignInFault('storage-blocked', null, error);
  }
}

/** The attempt with this state, which is then forgotten; null if this tab began none. */
export function takePending(state: string | null): PendingSignIn | null {
  try {
    const pending = JSON.parse(sessionStorage.getItem(key) ?? 'null') as PendingSignIn | null;
    if (pending === null || pending.state !== state) return null;
    sessionStorage.removeItem(key);
    return pending;
  } catch {
    return null;
  }
}

/** True if this tab can keep something until it comes back. */
export function canKeepPending(): boolean {
  try {
    sessionStorage.setItem(`${key}.probe`, '');
    sessionStorage.removeItem(`${key}.probe`);
    return true;
  } catch {
    return false;
  }
}
