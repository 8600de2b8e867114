import { z } from 'zod';

const config = z.record(z.string().max(128), z.unknown()).nullish();

export const resolveNodeConfigInput = z.object({
  target: z.string().min(1).max(128).describe('`outputs`, `*` or the key of a config field.'),
  config: config.describe('What the form holds so far.'),
  locale: z.string().max(16).nullish().describe('Language of labels, e.g. `en`; at most 16 characters.'),
  search: z.string().max(200).nullish().describe('Narrows the options of one field.'),
});

export const testNodeInput = z.object({
  config: config.describe('A value for each field of the node, expressions included.'),
  inputs: config.describe('Simulated inputs, merged over the config.'),
  timeoutMs: z.int().min(1_000).nullish().describe('At least 1,000; cut to 30,000.'),
});
