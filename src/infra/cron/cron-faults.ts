import type { FieldErrors } from '#src/infra/errors.ts';
import { ticksOf } from './ticks.ts';

/** What is wrong with a cron expression and its time zone, by field; empty where both are valid. */
export function cronFaults({ cron, timezone }: { cron: string; timezone: string }): FieldErrors {
  const zoneFault = timezoneFault(timezone);
  const cronFault = cronFaultOf(cron, zoneFault === undefined ? timezone : 'UTC');
  return {
    ...(zoneFault !== undefined && { timezone: [zoneFault] }),
    ...(cronFault !== undefined && { cron: [cronFault] }),
  };
}

const shortcuts = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@hourly', '@minutely'];

function cronFaultOf(cron: string, timezone: string): string | undefined {
  if (!shortcuts.includes(cron)) {
    // cron-parser fills in missing fields, so a typo could fire every minute.
    const fields = cron.split(/\s+/).length;
    if (fields < 5 || fields > 6)
      return 'Write five fields (minute hour day month weekday), or six with seconds first.';
    // cron-parser's `H` picks a random time, a different one in each process.
    if (/(^|[\s,])H/.test(cron)) return 'Write the times out; H is not supported.';
  }
  try {
    return ticksOf(cron, timezone).next(Date.now()) === undefined ? 'The cron expression never fires.' : undefined;
  } catch (error) {
    return reasonOf((error as Error).message);
  }
}

/** The faults that people make, in our words; cron-parser's own for the rest. */
function reasonOf(message: string): string {
  if (/day of month definition/i.test(message)) return 'The cron expression names a day that its month does not have.';
  const [, value, range] = /^Constraint error, got value (\S+) expected range (\S+)$/.exec(message) ?? [];
  if (value !== undefined) return `The cron expression has ${value} in a field that takes ${range}.`;
  return `The cron expression is not valid: ${message}`.slice(0, 300);
}

function timezoneFault(timezone: string): string | undefined {
  try {
    // Intl also accepts offsets, which have no daylight saving time.
    if (/^[A-Za-z]/.test(timezone) && new Intl.DateTimeFormat('en', { timeZone: timezone })) return undefined;
  } catch {
    // Reported below.
  }
  return 'Name an IANA time zone, e.g. Europe/Berlin.';
}
