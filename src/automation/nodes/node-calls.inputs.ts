import { z } from 'zod';

const config = z.record(z.string().max(128), z.unknown()).nullish();

export const resolveNodeConfigInput = z.object({
  /** `outputs`, `*`, or the key of a config field. */
  target: z.string().min(1).max(128),
  /** What the form holds so far. */
  config,
  locale: z.string().max(16).nullish(),
  /** Narrows the options of one field. */
  search: z.string().max(200).nullish(),
});

export const testNodeInput = z.object({
  config,
  /** Simulated inputs; they are merged over the config as well. */
  inputs: config,
  /** Milliseconds, at least 1,000; more than 30,000 are cut to that. */
  timeoutMs: z.int().min(1_000).nullish(),
});
