import { cronFaults } from '#src/infra/cron/cron-faults.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { nextTicksInput } from './schedules.inputs.ts';

/** Looking further costs: 100 leap days in a zone with daylight saving time took three seconds. */
const horizonMs = 10 * 366 * 86_400_000;

/**
 * The first ticks after `from` (epoch milliseconds) of a schedule that need not exist: as many as asked for, but none more than
 * ten years ahead. Throws a ValidationError with the messages that saving the schedule would give.
 */
export function nextTicks(given: unknown, from: number): Date[] {
  const { cron, timezone, count } = parseInput(nextTicksInput, given);
  const faults = cronFaults({ cron, timezone });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  const ticks = cachedTicks(cron, timezone);
  const found: Date[] = [];
  let next = ticks.next(from);
  while (next !== undefined && next < from + horizonMs && found.length < count) {
    found.push(new Date(next));
    next = ticks.next(next);
  }
  return found;
}
