import { z } from 'zod';

const config = z.record(z.string().max(128), z.unknown()).nullish();

export const resolveNodeConfigInput = z.object({
  target: z.string().min(1).max(128).describe('`outputs`, `*` or the key of a config field.'),
  config: config.describe('What the form holds so far.'),
  locale: z.string().max(16).nullish(),
  search: z.string().max(200).nullish().describe('Narrows the options of one field.'),
});

export const testNodeInput = z.object({
  config,
  inputs: config.describe('Simulated inputs, merged over the config.'),
  timeoutMs: z.int().min(1_000).nullish().describe('Milliseconds; cut to 30,000.'),
});
