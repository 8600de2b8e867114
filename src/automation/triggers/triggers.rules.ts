import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { ticksOf } from '#src/automation/schedules/ticks.rules.ts';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { triggerConfigs, type TriggerType } from './triggers.inputs.ts';

/** A trigger's config as it is stored. Throws a ValidationError with keys under `config` when it does not fit the type. */
export function readTriggerConfig(type: TriggerType, given: unknown): object {
  const config = parseInput(triggerConfigs[type], given ?? {}, 'config');
  const faults: FieldErrors = {};
  if ('cron' in config) {
    const zoneFault = timezoneFault(config.timezone);
    if (zoneFault !== undefined) faults['config.timezone'] = [zoneFault];
    const cronFault = cronFaultOf(config.cron, zoneFault === undefined ? config.timezone : 'UTC');
    if (cronFault !== undefined) faults['config.cron'] = [cronFault];
  }
  if ('filter' in config && config.filter !== undefined) {
    const filterFault = filterFaultOf(config.filter);
    if (filterFault !== undefined) faults['config.filter'] = [filterFault];
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return config;
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
    return `The cron expression is not valid: ${(error as Error).message}`.slice(0, 300);
  }
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

/** Text without braces is one expression: `trigger.payload.data.total > 100`. */
function filterFaultOf(filter: string): string | undefined {
  try {
    compileTemplate({ filter }, { deferred: ['filter'] }).deferred('filter');
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return error.reason;
    throw error;
  }
}
