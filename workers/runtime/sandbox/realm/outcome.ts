import { NativeString, slice, stringify } from './builtins.ts';
import { limits, post } from './host.ts';
import { textOfValue } from './log.ts';

type ErrorReport = { message: string; code?: string; stack?: string };

let ended = false;

/** True once the outcome has been sent. An execution has one; later ones are ignored. */
export const hasEnded = (): boolean => ended;

/** Describes what node code threw. Never throws, whatever the getters of the value do. */
export function describe(thrown: unknown): ErrorReport {
  try {
    if (typeof thrown === 'string') return { message: slice(thrown, limits.errorChars) };
    if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) {
      return { message: `The node threw ${slice(NativeString(thrown), limits.errorChars)}.` };
    }
    const { message, code, stack } = thrown as { message?: unknown; code?: unknown; stack?: unknown };
    const report: ErrorReport = {
      message: typeof message === 'string' && message !== '' ? slice(message, limits.errorChars) : textOfValue(thrown),
    };
    if (typeof code === 'string') report.code = slice(code, 100);
    if (typeof stack === 'string') report.stack = slice(stack, limits.errorChars);
    return report;
  } catch {
    return { message: 'The node threw a value that cannot be read.' };
  }
}

export function fail(kind: string, error: ErrorReport): void {
  if (ended) return;
  ended = true;
  post('failed', kind, stringify(error), '');
}

export function finish(result: unknown): void {
  if (ended) return;
  let json: string | undefined;
  try {
    json = stringify(result);
  } catch (error) {
    fail('invalid_result', { message: `The result is not JSON: ${describe(error).message}` });
    return;
  }
  // A toJSON() of the result may have ended the execution.
  if (hasEnded()) return;
  if (json === undefined && result !== undefined) {
    fail('invalid_result', { message: `The result is not JSON: it is a ${typeof result}.` });
  } else if (json !== undefined && json.length > limits.outputChars) {
    fail('output_too_large', {
      message: `The result is ${json.length} characters of JSON; at most ${limits.outputChars} are kept.`,
    });
  } else {
    ended = true;
    post('done', json ?? 'null', '', '');
  }
}
