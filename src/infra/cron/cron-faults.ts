import type { FieldErrors } from '#src/infra/errors.ts';
import { CronFault } from './cron-fields.ts';
import { cachedTicks } from './ticks.ts';

/** The faults of a cron expression and its time zone, by field; empty if both are valid. */
export function cronFaults({ cron, timezone }: { cron: string; timezone: string }): FieldErrors {
  const zoneFault = timezoneFault(timezone);
  const cronFault = findCronFault(cron, zoneFault === undefined ? timezone : 'UTC');
  return {
    ...(zoneFault !== undefined && { timezone: [zoneFault] }),
    ...(cronFault !== undefined && { cron: [cronFault] }),
  };
}

function findCronFault(cron: string, timezone: string): string | undefined {
  try {
    return cachedTicks(cron, timezone).next(Date.now()) === undefined ? 'The cron expression never fires.' : undefined;
  } catch (error) {
    if (error instanceof CronFault) return error.message;
    throw error;
  }
}

/** Why a time zone is not valid; undefined if it is. */
export function timezoneFault(timezone: string): string | undefined {
  try {
    // Intl also accepts offsets, which have no daylight saving time.
    if (/^[A-Za-z]/.test(timezone) && new Intl.DateTimeFormat('en', { timeZone: timezone })) return undefined;
  } catch {
    // Reported below.
  }
  return 'Name an IANA time zone, e.g. Europe/Berlin.';
}
