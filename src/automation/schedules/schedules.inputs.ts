import { z } from 'zod';

/** What a schedule trigger is told. */
export const scheduleConfig = z.object({
  cron: z.string().trim().min(1).max(120),
  timezone: z.string().min(1).max(64).default('UTC'),
  /** What happens to ticks that nobody was there for. */
  misfire: z.enum(['skip', 'fire_once', 'catch_up']).default('fire_once'),
});
