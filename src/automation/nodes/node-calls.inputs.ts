import { z } from 'zod';

const config = z.record(z.string().max(128), z.unknown()).nullish();

export const resolveNodeConfigInput = z.object({
  /** `outputs`, `*`, or the key of a config field. */
  target: z.string().min(1).max(128),
  /** The current values of the form. */
  config,
  locale: z.string().max(16).nullish(),
  /** Narrows the options of one field. */
  search: z.string().max(200).nullish(),
});

export const testNodeInput = z.object({
  config,
  /** Simulated inputs, which are merged over the config. */
  inputs: config,
  /** Milliseconds, at least 1,000; capped at 30,000. */
  timeoutMs: z.int().min(1_000).nullish(),
});
