import { NativeError, apply } from './builtins.ts';
import { limits } from './host.ts';
import { hasEnded } from './outcome.ts';

type Listener = (event: { type: 'abort' }) => unknown;

const listeners: Listener[] = [];

/** `ctx.signal`. */
export const signal = {
  aborted: false,
  reason: undefined as Error | undefined,
  onabort: null as unknown,
  addEventListener(type: unknown, listener: unknown): void {
    if (type !== 'abort' || typeof listener !== 'function' || listeners.length >= limits.timers) return;
    listeners[listeners.length] = listener as Listener;
  },
  removeEventListener(_type: unknown, listener: unknown): void {
    for (let index = 0; index < listeners.length; index += 1) {
      if (listeners[index] === listener) listeners[index] = () => undefined;
    }
  },
  throwIfAborted(): void {
    if (signal.aborted && signal.reason !== undefined) throw signal.reason;
  },
};

export function abort(message: string, code: string): void {
  if (signal.aborted || hasEnded()) return;
  const reason = new NativeError(message) as Error & { code?: string };
  reason.name = 'AbortError';
  reason.code = code;
  signal.reason = reason;
  signal.aborted = true;
  const called = [signal.onabort];
  for (let index = 0; index < listeners.length; index += 1) called[index + 1] = listeners[index];
  for (let index = 0; index < called.length; index += 1) {
    const listener = called[index];
    try {
      if (typeof listener === 'function') apply(listener as () => unknown, signal, [{ type: 'abort' }]);
    } catch {
      // A listener that throws must not keep the next one from being called.
    }
  }
}
