import { z } from 'zod';

/** A path in an answer or in a node's config: names joined by dots, or a list of names. */
const path = z.union([z.string().min(1).max(256), z.array(z.string().min(1).max(256)).min(1).max(16)]);

/** How the API writes times. `auto` reads any of them, and writes ISO 8601 in UTC. */
export const timeFormats = ['auto', 'iso_seconds', 'local', 'local_iso', 'date', 'unix', 'unix_ms'] as const;
export const watermarkKinds = ['updated_at', 'id', 'cursor'] as const;
export const listOrders = ['none', 'ascending', 'descending'] as const;
export const distinctions = ['content', 'watermark', 'key'] as const;

const watermark = z.object({
  by: z.enum(watermarkKinds),
  /** The place of the position in a record, or of the cursor in the answer. */
  field: path.nullish(),
  /** The place in the node's config that takes the watermark. Without it, each poll asks for the whole list. */
  param: path.nullish(),
  /** The text for that place, in which {watermark} is replaced by the watermark. */
  template: z.string().max(500).includes('{watermark}', 'must hold {watermark}.').default('{watermark}'),
  format: z.enum(timeFormats).default('auto'),
  /** The zone of times without a zone. */
  timezone: z.string().min(1).max(64).default('UTC'),
  /** How far before the watermark the next poll begins. */
  overlap_seconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(300),
  order: z.enum(listOrders).default('none'),
  /** The position at which the first poll begins. Without it, the poll begins at the start of the list. */
  start: z.union([z.string().min(1).max(500), z.int()]).nullish(),
});

/** The config of a poll trigger. */
export const pollConfig = z
  .object({
    node: z.object({ slug: z.string().min(1).max(191), version: z.string().min(1).max(128).default('latest') }),
    /** The node's own config: values, and credentials by their ids. */
    config: z.record(z.string(), z.unknown()).default({}),
    /** The place of the list in the answer. Without it, the paging of the node decides. */
    items: path.nullish(),
    /** The place of the key in a record. */
    key: path,
    /** Decides when a record with a known key is new. By default `key` for ids, so never, and `content` otherwise. */
    distinct_by: z.enum(distinctions).nullish(),
    /** How long a fired record is remembered at least. */
    window_seconds: z
      .int()
      .min(3_600)
      .max(90 * 86_400)
      .default(7 * 86_400),
    watermark,
    cron: z.string().trim().min(1).max(120).nullish(),
    /** The zone of the cron. */
    timezone: z.string().min(1).max(64).default('UTC'),
    interval_seconds: z.int().min(10).max(86_400).nullish(),
    /** The most records of one run. With 1, the payload has one `record` instead of `records`. */
    batch: z.int().min(1).max(1_000).default(1),
    /** After this many pages or records, other polls have their turn before this one continues. */
    max_pages: z.int().min(1).max(10_000).default(100),
    max_records: z.int().min(1).max(1_000_000).default(100_000),
  })
  .superRefine(({ watermark: mark, cron, interval_seconds: interval, config, distinct_by: distinct }, check) => {
    const refuse = (at: string[], message: string) => check.addIssue({ code: 'custom', path: at, message });
    if ((cron == null) === (interval == null)) refuse(['interval_seconds'], 'Give either interval_seconds or cron.');
    if (mark.by !== 'cursor' && mark.field == null)
      refuse(['watermark', 'field'], 'is required: where a record has it.');
    if (mark.by === 'cursor' && distinct === 'watermark')
      refuse(['distinct_by'], 'must be content or key, as the records of a cursor have no watermark of their own.');
    if (mark.by === 'cursor' && mark.order !== 'none') refuse(['watermark', 'order'], 'must be none with a cursor.');
    if (JSON.stringify(config).includes('{{'))
      refuse(['config'], 'takes values alone: an expression has no run here that it could read.');
  });

export type PollConfig = z.output<typeof pollConfig>;
export type WatermarkConfig = PollConfig['watermark'];

export const rewindInput = z.object({
  to: z
    .string()
    .max(500)
    .nullish()
    .describe('A time in ISO 8601 with its zone, an id or a cursor, as the watermark is; null: the start of the list.'),
  forget: z
    .boolean()
    .nullish()
    .describe('True: records that were fired before are fired again. Left out: false, only those that were missed.'),
});

export const previewInput = z.object({
  config: z.unknown().describe('The config of a poll trigger, as `createTrigger` takes it.'),
});
