import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';

/** How far ahead a group can be muted. */
const maxMutedDays = 366;
const dayMs = 86_400_000;

export const muteInput = z.object({
  until: z
    .date()
    .refine((until) => until.getTime() > Date.now(), 'The time must be in the future.')
    .refine((until) => until.getTime() < Date.now() + maxMutedDays * dayMs, `At most ${maxMutedDays} days ahead.`)
    .nullish()
    .describe(
      'Failures before this instant leave it muted, the first one after it opens it. Left out: the next one does.',
    ),
});

export const assignInput = z.object({
  userId: z
    .int()
    .positive()
    .register(graphTypes, { type: 'Long' })
    .nullish()
    .describe('The user, as `me.user.id` has it, who must have a role in the tenant. Left out: nobody.'),
});
