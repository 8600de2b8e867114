import { z } from 'zod';
import { MisfirePolicy } from '#prisma/enums.ts';

/** The config of a schedule trigger. */
export const scheduleConfig = z.object({
  cron: z.string().trim().min(1).max(120),
  timezone: z.string().min(1).max(64).default('UTC'),
  /** The policy for missed ticks. */
  misfire: z.enum(MisfirePolicy).default('fire_once'),
});

export const maxTicks = 100;

/** A schedule that may not have been saved yet, and how many of its ticks are wanted. */
export const nextTicksInput = scheduleConfig.omit({ misfire: true }).extend({
  count: z.int().min(1).max(maxTicks),
});
