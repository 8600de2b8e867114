import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds or until the signal aborts; check the signal to know which. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, signal && { signal }).catch(() => undefined);

// The longest delay of a timer: 2^31 - 1 ms.
const longestTimerMs = 2_147_483_647;

/**
 * Calls at a time in epoch milliseconds, however far away; does not keep the process alive. Returns the function that
 * cancels it.
 */
export function callAt(at: number, call: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = Math.min(Math.max(0, at - Date.now()), longestTimerMs);
    timer = setTimeout(() => (Date.now() < at ? arm() : call()), left).unref();
  };
  arm();
  return () => clearTimeout(timer);
}
