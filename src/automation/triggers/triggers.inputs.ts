import { z } from 'zod';
import { TriggerType } from '#prisma/enums.ts';
import { eventConfig, webhookConfig } from '#src/automation/firings/firings.inputs.ts';
import { pollConfig } from '#src/automation/polls/polls.inputs.ts';
import { scheduleConfig } from '#src/automation/schedules/schedules.inputs.ts';
import { graphTypes } from '#src/infra/graph-types.ts';

const name = z.string().trim().min(1).max(191);
const triggerType = z.enum(TriggerType).register(graphTypes, { type: 'TriggerType' });
export type { TriggerType };

/** The config of each trigger type; unknown members are dropped. */
export const triggerConfigs = {
  manual: z.object({}),
  webhook: webhookConfig,
  event: eventConfig,
  schedule: scheduleConfig,
  poll: pollConfig,
} as const satisfies Record<TriggerType, z.ZodType>;

export const createTriggerInput = z.object({
  type: triggerType.describe('What fires it.'),
  name: name.describe('1 to 191 characters.'),
  /** Parsed by type, see `triggerConfigs`. */
  config: z
    .unknown()
    .optional()
    .describe('By type, as in `Trigger.config`; members that the type does not know are dropped.'),
  active: z.boolean().nullish().describe('Left out: true.'),
});

export const updateTriggerInput = z.object({
  type: triggerType.nullish().describe('Null leaves it as it is.'),
  name: name.nullish().describe('1 to 191 characters; null leaves it as it is.'),
  config: z.unknown().optional().describe('The whole config of the type; left out, it stays.'),
  active: z.boolean().nullish().describe('Null leaves it as it is.'),
});
