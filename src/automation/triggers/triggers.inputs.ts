import { z } from 'zod';

const name = z.string().trim().min(1).max(191);
const triggerType = z.enum(['manual', 'schedule', 'webhook', 'event']);
export type TriggerType = z.infer<typeof triggerType>;

const topicPattern = z
  .string()
  .max(128)
  .regex(
    /^(\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?)$/,
    'Name a topic as words joined by dots, e.g. order.created; order.* is all that begin so, * all there are.',
  );

/** What a trigger of each type is told; unknown members are dropped. */
export const triggerConfigs = {
  manual: z.object({}),
  webhook: z.object({
    /** `on_finish` holds the answer until the run has ended, at most `respond_timeout_ms`. */
    respond: z.enum(['immediate', 'on_finish']).default('immediate'),
    respond_timeout_ms: z.int().min(100).max(60_000).optional(),
  }),
  event: z
    .object({
      topics: z.array(topicPattern).min(1).max(50).optional(),
      topic: topicPattern.optional(),
      /** An expression; the event fires the trigger when it yields true. */
      filter: z.string().trim().min(1).max(10_000).optional(),
    })
    .refine(({ topics, topic: one }) => topics !== undefined || one !== undefined, {
      path: ['topics'],
      message: 'Name at least one topic.',
    })
    .transform(({ topics = [], topic: one, ...rest }) => ({
      topics: [...new Set(one === undefined ? topics : [...topics, one])],
      ...rest,
    })),
  schedule: z.object({
    cron: z.string().trim().min(1).max(120),
    timezone: z.string().min(1).max(64).default('UTC'),
    /** What happens to ticks that nobody was there for. */
    misfire: z.enum(['skip', 'fire_once', 'catch_up']).default('fire_once'),
  }),
} as const satisfies Record<TriggerType, z.ZodType>;

export type WebhookConfig = z.infer<(typeof triggerConfigs)['webhook']>;

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
