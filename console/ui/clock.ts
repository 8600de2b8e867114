/** Milliseconds that the server's clock is ahead of the browser's. */
let offsetMs = 0;
let shown = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();
const tickMs = 5_000;

/** Takes the `Date` of an answer, so that ages are right although the browser's clock is not. */
export function setServerTime(instant: number): void {
  const difference = instant - Date.now();
  // The header has whole seconds and the answer has travelled: smaller differences say nothing.
  if (Math.abs(difference - offsetMs) > 2_000) offsetMs = difference;
}

/** The server's time, in milliseconds since 1970. */
export const serverNow = (): number => Date.now() + offsetMs;

/** The time that ages are drawn with; it moves on every few seconds. */
export const shownNow = (): number => shown;

export function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  shown = serverNow();
  timer ??= setInterval(() => {
    shown = serverNow();
    for (const notify of listeners) notify();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
