const firstMs = 500;
const maxMs = 15_000;

/** How long to wait before the try after `failures` failures, in milliseconds: up to 15 s, at random so that consoles do not return in step. */
export const backoffMs = (failures: number): number =>
  Math.min(maxMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2);

/** Waits, or until the browser is online again. Rejects when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', wake);
      signal?.removeEventListener('abort', stop);
      done();
    };
    const wake = settle(resolve);
    const stop = settle(() => reject(signal?.reason as Error));
    const timer = setTimeout(wake, ms);
    globalThis.addEventListener?.('online', wake);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop);
  });
}
