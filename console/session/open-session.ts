import { consoleAddress } from './addresses.ts';
import type { ConsoleConfig } from './config.ts';
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
 * for the issuer, which asks nothing of somebody whom it knows, and does not resolve.
 */
export async function openSession(config: ConsoleConfig): Promise<Session | SignInNeeded> {
  const needed = (reason: SignInReason, detail: string | null = null): SignInNeeded => ({
    reason,
    detail,
    signIn: () => leave(provider, returnAddress(provider)),
  });
  const provider = new Provider(config);
  if (!window.isSecureContext) return needed('insecure');
  if (!canKeepPending()) return needed('storage-blocked');
  const peers = new Peers(config);
  const here = new URL(location.href);
  try {
    if (here.pathname === new URL(provider.redirectUri).pathname)
      return await comeBack(here, { provider, peers, needed });
    const tokens = await peers.ask();
    if (tokens) return new SharedSession(provider, peers, tokens);
    await leave(provider, here.href);
    return await new Promise<never>(() => undefined);
  } catch (error) {
    const { reason, detail } = toFault(error, 'interrupted');
    return needed(reason, detail);
  }
}

interface Means {
  provider: Provider;
  peers: Peers;
  needed: (reason: SignInReason, detail?: string | null) => SignInNeeded;
}

async function comeBack(here: URL, { provider, peers, needed }: Means): Promise<Session | SignInNeeded> {
  const state = here.searchParams.get('state');
  const pending = takePending(state);
  // The code is of no use a second time, so a reload must not find it.
  history.replaceState(null, '', pending?.returnTo ?? consoleAddress('').href);
  if (pending) {
    const tokens = await provider.exchange(here.href, pending);
    peers.share(tokens);
    return new SharedSession(provider, peers, tokens);
  }
  if (!here.searchParams.has('code') && !here.searchParams.has('error')) return needed('signed-out');
  if (state === null || !(await peers.hand(state, here.href))) return needed('interrupted');
  window.close();
  return needed('window-done');
}

/** Leaves the page for the issuer, in its place in the history, so that Back does not lead to a page that leaves again. */
async function leave(provider: Provider, returnTo: string): Promise<void> {
  const pending: PendingSignIn = { ...newAttempt(), returnTo };
  const address = await provider.authorizationAddress(pending);
  keepPending(pending);
  location.replace(address);
}

/** Where to return to from a sign-in that begins on this page. */
const returnAddress = (provider: Provider): string =>
  isReturn(location, provider) ? consoleAddress('').href : location.href;

/** True at the address to which the issuer returns. */
const isReturn = ({ pathname }: { pathname: string }, { redirectUri }: Provider): boolean =>
  pathname === new URL(redirectUri).pathname;
