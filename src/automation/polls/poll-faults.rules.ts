import { NodeError } from '#src/automation/node-api/node-error.ts';
import { timezoneFault } from '#src/infra/cron/cron-faults.ts';
import type { FieldErrors } from '#src/infra/errors.ts';
import type { PollConfig, WatermarkConfig } from './polls.inputs.ts';
import { type Position, readPosition } from './positions.rules.ts';

/** Lists faults of a config that its schema cannot detect. */
export function pollFaults({ watermark }: PollConfig): FieldErrors {
  const zone = timezoneFault(watermark.timezone);
  if (zone !== undefined) return { 'config.watermark.timezone': [zone] };
  try {
    startPosition(watermark);
    return {};
  } catch (error) {
    if (error instanceof NodeError) return { 'config.watermark.start': [error.message] };
    throw error;
  }
}

/** The position at which the first poll begins. Throws a NodeError if the configured start is not a position. */
export const startPosition = (mark: WatermarkConfig): Position | null =>
  mark.start == null ? null : readPosition(mark.start, mark);
