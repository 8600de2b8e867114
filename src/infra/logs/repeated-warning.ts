import type { Logger } from 'pino';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { createCountedWarning } from './counted-line.ts';

/**
 * A warning of a loop that tries again: with its stack, or at most once a second and without one while the database is away, which
 * every loop of every process finds out several times a second.
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
