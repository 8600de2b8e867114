import { z } from 'zod';

/** The config of a schedule trigger. */
export const scheduleConfig = z.object({
  cron: z.string().trim().min(1).max(120),
  timezone: z.string().min(1).max(64).default('UTC'),
  /** What happens to missed ticks. */
  misfire: z.enum(['skip', 'fire_once', 'catch_up']).default('fire_once'),
});
