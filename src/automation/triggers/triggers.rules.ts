import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { scheduleFaults } from '#src/automation/schedules/schedule-faults.rules.ts';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { triggerConfigs, type TriggerType } from './triggers.inputs.ts';

/** A trigger's config as it is stored. Throws a ValidationError with keys under `config` when it does not fit the type. */
export function readTriggerConfig(type: TriggerType, given: unknown): object {
  const config = parseInput(triggerConfigs[type], given ?? {}, 'config');
  const faults: FieldErrors = {};
  if ('cron' in config) {
    const { cron, timezone } = config;
    for (const [field, messages] of Object.entries(scheduleFaults({ cron, timezone }))) {
      faults[`config.${field}`] = messages;
    }
  }
  if ('filter' in config && config.filter !== undefined) {
    const filterFault = filterFaultOf(config.filter);
    if (filterFault !== undefined) faults['config.filter'] = [filterFault];
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return config;
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
