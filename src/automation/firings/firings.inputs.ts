import { z } from 'zod';
import { secretKey } from '#src/automation/secrets/secrets.inputs.ts';
import { verifiers } from '#src/infra/signing/verifier-configs.ts';

const topicPattern = z
  .string()
  .max(128)
  .regex(
    /^(\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?)$/,
    'Name a topic as words joined by dots, e.g. order.created; order.* is all that begin so, * all there are.',
  );

/** The verifier of callers without a token. Its config is parsed by `verifierConfigs`. */
const webhookVerify = z.object({
  verifier: z.enum(verifiers).default('platform_v0'),
  config: z.record(z.string().max(100), z.unknown()).default({}),
  /** Keys of the tenant's secrets, so that a trigger stores none; either of two is valid while one is being replaced. */
  secret_ref: z.union([secretKey, z.array(secretKey).min(1).max(2)], 'Name a secret of the tenant, or two.'),
});
export type WebhookVerify = z.infer<typeof webhookVerify>;

/** The message that a trigger expects. Its schema is that of the catalogue when the trigger is saved. */
const webhookMessage = z.object({
  slug: z.string().max(128).describe('`<namespace>:<name>` of a message of a package.'),
  /** For a body that does not fit: `refuse` answers 422, `accept` starts the run and tells the sender. */
  on_mismatch: z.enum(['accept', 'refuse']).default('accept'),
});

export type WebhookMessage = z.infer<typeof webhookMessage>;

/** The config of a webhook trigger. */
export const webhookConfig = z.object({
  /** `on_finish` delays the response until the run has ended, at most `respond_timeout_ms`. */
  respond: z.enum(['immediate', 'on_finish']).default('immediate'),
  respond_timeout_ms: z.int().min(100).max(60_000).optional(),
  verify: webhookVerify.optional(),
  message: webhookMessage.optional(),
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

/** True when text may be the handle of a trigger: a UUID. */
export const isHandle = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The validated part of a webhook firing; `handle` and `payload` are taken as they are. */
export const fireWebhookInput = z.object({
  idempotencyKey: z.string().min(1).max(255).nullish().describe('Repeated, it answers the run it first started.'),
});
