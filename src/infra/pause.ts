import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds or until the signal aborts; check the signal to know which. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, signal && { signal }).catch(() => undefined);
