import { z } from 'zod';
import { MisfirePolicy } from '#prisma/enums.ts';

/** The config of a schedule trigger. */
export const scheduleConfig = z.object({
  cron: z.string().trim().min(1).max(120),
  timezone: z.string().min(1).max(64).default('UTC'),
  /** What happens to missed ticks. */
  misfire: z.enum(MisfirePolicy).default('fire_once'),
});
