import { z } from 'zod';

const topicPattern = z
  .string()
  .max(128)
  .regex(
    /^(\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?)$/,
    'Name a topic as words joined by dots, e.g. order.created; order.* is all that begin so, * all there are.',
  );

/** The config of a webhook trigger. */
export const webhookConfig = z.object({
  /** `on_finish` delays the response until the run has ended, at most `respond_timeout_ms`. */
  respond: z.enum(['immediate', 'on_finish']).default('immediate'),
  respond_timeout_ms: z.int().min(100).max(60_000).optional(),
});
export type WebhookConfig = z.infer<typeof webhookConfig>;

/** The config of an event trigger; a single `topic` is stored as a list, `topics`. */
export const eventConfig = z
  .object({
    topics: z.array(topicPattern).min(1).max(50).optional(),
    topic: topicPattern.optional(),
    /** An expression; the event fires the trigger when it is true. */
    filter: z.string().trim().min(1).max(10_000).optional(),
  })
  .refine(({ topics, topic: one }) => topics !== undefined || one !== undefined, {
    path: ['topics'],
    message: 'Name at least one topic.',
  })
  .transform(({ topics = [], topic: one, ...rest }) => ({
    topics: [...new Set(one === undefined ? topics : [...topics, one])],
    ...rest,
  }));

/** The most active event triggers of a tenant, since each event is matched with all of them. */
export const eventTriggersPerTenant = 1_000;

export const startRunInput = z.object({
  triggerHandle: z.guid().nullish().describe("The workflow's active manual trigger when absent."),
  payload: z.unknown().optional(),
  idempotencyKey: z.string().min(1).max(255).nullish().describe('Repeated, it answers the run it first started.'),
});
