import { EgressError } from './errors.ts';
import { cancel, type Cancellation } from './exchange.ts';

/** The longest delay a timer supports; a longer one would fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Cancels a whole request at its deadline, or when the caller aborts it. `end` releases the timer and the listener. */
export function boundRequest(timeoutMs: number, signal: AbortSignal | undefined, where: string) {
  const cancellation: Cancellation = { reason: undefined, onCancel: undefined };
  const ms = Math.min(timeoutMs, maxTimerMs);
  const timer = setTimeout(
    () => cancel(cancellation, new EgressError('timeout', `${where} did not answer in full within ${ms} ms.`)),
    ms,
  );
  const onAbort = (): void => cancel(cancellation, new EgressError('aborted', 'The request was cancelled.'));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    cancellation,
    end: (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
