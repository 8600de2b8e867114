import { NativeError, NativeString, slice, stringify } from './builtins.ts';
import { limits, post } from './host.ts';

let lines = 0;

/** The text of a logged value. Never throws. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof NativeError) return slice(NativeString(value.stack ?? value.message), limits.logLineChars);
    const json = typeof value === 'object' ? stringify(value) : undefined;
    return typeof json === 'string' ? json : NativeString(value);
  } catch {
    return '[a value that cannot be read]';
  }
}

function write(level: string, values: unknown[]): void {
  if (lines > limits.logLines) return;
  lines += 1;
  if (lines > limits.logLines) {
    post('log', 'warn', `More than ${limits.logLines} log lines: the rest is dropped.`, '');
    return;
  }
  let text = '';
  for (let index = 0; index < values.length && text.length <= limits.logLineChars; index += 1) {
    text += (index === 0 ? '' : ' ') + textOfValue(values[index]);
  }
  post('log', level, slice(text, limits.logLineChars), '');
}

export const log = {
  debug: (...values: unknown[]) => write('debug', values),
  info: (...values: unknown[]) => write('info', values),
  warn: (...values: unknown[]) => write('warn', values),
  error: (...values: unknown[]) => write('error', values),
};
