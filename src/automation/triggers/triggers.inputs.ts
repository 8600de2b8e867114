import { z } from 'zod';
import { TriggerType } from '#prisma/enums.ts';
import { eventConfig, webhookConfig } from '#src/automation/firings/firings.inputs.ts';
import { scheduleConfig } from '#src/automation/schedules/schedules.inputs.ts';

const name = z.string().trim().min(1).max(191);
const triggerType = z.enum(TriggerType);
export type { TriggerType };

/** The config of each trigger type; unknown members are dropped. */
export const triggerConfigs = {
  manual: z.object({}),
  webhook: webhookConfig,
  event: eventConfig,
  schedule: scheduleConfig,
} as const satisfies Record<TriggerType, z.ZodType>;

export const createTriggerInput = z.object({
  type: triggerType,
  name,
  /** Parsed by type, see `triggerConfigs`. */
  config: z.unknown().optional(),
  active: z.boolean().nullish(),
});

export const updateTriggerInput = z.object({
  type: triggerType.nullish(),
  name: name.nullish(),
  config: z.unknown().optional(),
  active: z.boolean().nullish(),
});
