import type { Logger } from 'pino';

const everyMs = 1_000;

type Log<Level extends 'info' | 'warn'> = (log: Pick<Logger, Level>, error: unknown, details?: object) => void;

/**
 * A line about an event that may happen many times in a moment, written at most `perSecond` times a second. `count` is the number of events
 * since the previous line. An error is logged by its message, without its stack.
 */
function createCountedLine<Level extends 'info' | 'warn'>(
  level: Level,
  message: string,
  perSecond: number,
): Log<Level> {
  let count = 0;
  let written = 0;
  let resting: NodeJS.Timeout | undefined;
  let latest: Parameters<Log<Level>> | undefined;

  const write: Log<Level> = (log, error, details) => {
    log[level]({ ...details, reason: error instanceof Error ? error.message : String(error), count }, message);
    count = 0;
    written += 1;
    latest = undefined;
    resting ??= setTimeout(() => {
      resting = undefined;
      written = 0;
      if (latest) write(...latest);
    }, everyMs).unref();
  };

  return (...line) => {
    count += 1;
    if (written < perSecond) write(...line);
    else latest = line;
  };
}

/** A warning about a condition that affects many concurrent requests or recurs during an outage: one line a second. */
export const createCountedWarning = (message: string): Log<'warn'> => createCountedLine('warn', message, 1);

/** A line about single requests: at most ten a second, so that a caller cannot fill the log. */
export const createCountedInfo = (message: string): Log<'info'> => createCountedLine('info', message, 10);
