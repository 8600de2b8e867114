import { NativeError, NativePromise, NativeRangeError, NativeString, create, parse, stringify } from './builtins.ts';
import { limits, post } from './host.ts';
import { hasEnded } from './outcome.ts';

type Pending = { resolve: (value: unknown) => void; reject: (error: unknown) => void };

/** By the number of the call. */
const pending = create(null) as Record<string, Pending>;
let pendingCount = 0;
let callCount = 0;

/** Calls a method of the host's broker; the host replies later. */
export function call(method: string, argument: unknown): Promise<unknown> {
  return new NativePromise((resolve, reject) => {
    if (hasEnded()) throw new NativeError('The execution has ended.');
    if (pendingCount >= limits.pendingCalls) {
      throw new NativeRangeError(`More than ${limits.pendingCalls} calls are pending: await some of them first.`);
    }
    if (callCount >= limits.calls) throw new NativeRangeError(`One execution may make ${limits.calls} calls.`);
    const json = stringify(argument);
    if (json.length > limits.callChars) {
      throw new NativeRangeError(
        `A call may carry ${limits.callChars} characters of JSON, this one has ${json.length}.`,
      );
    }
    callCount += 1;
    pendingCount += 1;
    const id = NativeString(callCount);
    pending[id] = { resolve, reject };
    post('call', id, method, json);
  });
}

export function settleCall(id: string, outcome: string, json: string): void {
  const settled = pending[id];
  if (settled === undefined) return;
  delete pending[id];
  pendingCount -= 1;
  const value: unknown = parse(json);
  if (outcome === 'ok') {
    settled.resolve(value);
    return;
  }
  const { message, code } = value as { message: string; code?: string };
  const error = new NativeError(message) as Error & { code?: string };
  if (code !== undefined) error.code = code;
  settled.reject(error);
}
