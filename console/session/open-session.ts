import { serverNow, setServerTime } from '#console/ui/clock.ts';
import { consoleAddress } from './addresses.ts';
import { type ConsoleConfig, loadConsoleConfig } from './config.ts';
import { type SignInReason, toFault } from './faults.ts';
import { Peers } from './peers.ts';
import { canKeepPending, keepPending, type PendingSignIn, takePending } from './pending-sign-in.ts';
import { newAttempt, Provider } from './provider.ts';
import { type Session, SharedSession } from './session.ts';

/** Nobody is signed in. */
export interface SignInNeeded {
  reason: SignInReason;
  /** The issuer's own words, if it gave some. */
  detail: string | null;
  /** Leaves the page for the issuer. Rejects with a SignInFault if that is not possible. */
  signIn: () => Promise<void>;
}

/**
 * The session of this browser: that of another tab, or the one that the issuer returns with to `callback`. Without either it leaves the page
 * for the issuer, which asks nothing of somebody whom it knows, and does not resolve. The address is that of the page again when the call
 * returns. Throws if the server cannot be reached.
 */
export async function openSession(): Promise<Session | SignInNeeded> {
  const here = new URL(location.href);
  const returns = isReturn(here);
  const pending = returns ? takePending(here.searchParams.get('state')) : null;
  // The code is of no use a second time, so a reload must not find it.
  if (returns) history.replaceState(null, '', pending?.returnTo ?? consoleAddress('').href);
  if (pending) setServerTime(Date.now() + pending.aheadMs);
  const config = pending?.config ?? (await loadConsoleConfig());
  const provider = new Provider(config, pending?.metadata);
  const needed = (reason: SignInReason, detail: string | null = null): SignInNeeded => ({
    reason,
    detail,
    signIn: () => leave(config, provider, returnAddress()),
  });
  if (!window.isSecureContext) return needed('insecure');
  if (!canKeepPending()) return needed('storage-blocked');
  const peers = new Peers(config);
  try {
    if (pending) {
      const tokens = await provider.exchange(here.href, pending);
      peers.share(tokens);
      return new SharedSession(provider, peers, tokens);
    }
    if (returns) return needed(await handOver(here, peers));
    const tokens = await peers.ask();
    if (tokens) return new SharedSession(provider, peers, tokens);
    await leave(config, provider, here.href);
    return await new Promise<never>(() => undefined);
  } catch (error) {
    const { reason, detail } = toFault(error, 'interrupted');
    return needed(reason, detail);
  }
}

/** Gives a return that this tab does not wait for to the tab that does. */
async function handOver(here: URL, peers: Peers): Promise<SignInReason> {
  const state = here.searchParams.get('state');
  if (!here.searchParams.has('code') && !here.searchParams.has('error')) return 'signed-out';
  if (state === null || !(await peers.hand(state, here.href))) return 'interrupted';
  window.close();
  return 'window-done';
}

/** Leaves the page for the issuer, in its place in the history, so that Back does not lead to a page that leaves again. */
async function leave(config: ConsoleConfig, provider: Provider, returnTo: string): Promise<void> {
  const metadata = await provider.metadata();
  const aheadMs = serverNow() - Date.now();
  const pending: PendingSignIn = { ...newAttempt(), returnTo, config, metadata, aheadMs };
  const address = await provider.authorizationAddress(pending);
  keepPending(pending);
  location.replace(address);
}

/** Where to return to from a sign-in that begins on this page. */
const returnAddress = (): string => (isReturn(location) ? consoleAddress('').href : location.href);

/** True at the address to which the issuer returns. */
const isReturn = ({ pathname }: { pathname: string }): boolean => pathname === consoleAddress('callback').pathname;
