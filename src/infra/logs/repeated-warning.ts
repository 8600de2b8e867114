import type { Logger } from 'pino';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { createCountedWarning } from './counted-line.ts';

/**
 * A warning of a loop that retries: with its stack, or, while the database is away, at most once a second and without the stack, because
 * every loop of every process fails several times a second then.
 */
export function createRepeatedWarning(
  message: string,
): (log: Pick<Logger, 'warn'>, error: unknown, details?: object) => void {
  const warnOfOutage = createCountedWarning(message);
  return (log, error, details) => {
    if (isOutage(error)) warnOfOutage(log, error, details);
    else log.warn({ ...details, err: error }, message);
  };
}
