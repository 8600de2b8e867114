/** Why a run is stopped from outside; `not-held`: the database does not know that this worker holds it. */
export type StopReason = 'cancelled' | 'timeout' | 'draining' | 'lease-lost' | 'not-held' | 'sibling-failed';

/** Unwinds a run that is being stopped; its unfinished steps are not recorded. */
export class StoppedError extends Error {
  readonly reason: StopReason;

  constructor(reason: unknown) {
    super(`Stopped: ${String(reason)}`);
    this.name = 'StoppedError';
    this.reason = reason as StopReason;
  }
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new StoppedError(signal.reason);
}

/** Resolves after `ms`; rejects with StoppedError as soon as the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(new StoppedError(signal.reason));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
