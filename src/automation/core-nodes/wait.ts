import { z } from 'zod';
import { defineControl } from './core-node.ts';

const longestMs = 365 * 24 * 60 * 60 * 1000;

const exactlyOne =
  'needs exactly one: a duration (duration_ms), a date (until), or the wait for a resume call (resume: true).';

export const waitConfig = z
  .object({
    duration_ms: z.int().min(0).max(longestMs).nullish(),
    until: z
      .union(
        [z.iso.datetime({ offset: true }), z.iso.date()],
        'must be a date, or a date and time with its offset, in ISO 8601: 2026-12-24T18:00:00+01:00.',
      )
      .nullish(),
    resume: z.boolean().nullish(),
  })
  .refine(
    ({ duration_ms, until, resume }) =>
      [duration_ms != null, until != null, resume === true].filter(Boolean).length === 1,
    { message: exactlyOne },
  );

/** Waits for a time, until a date, or for a resume call, whose `data` becomes the output. */
export const waitNode = defineControl({ name: 'wait', config: waitConfig });
