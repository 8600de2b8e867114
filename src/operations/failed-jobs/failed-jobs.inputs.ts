import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { parseInput } from '#src/infra/inputs.ts';

export const failedJobInput = z.object({
  id: z.guid('The field id must be the UUID of a failed job.').register(graphTypes, { type: 'ID' }),
});

const name = z.string().max(200).nullish();
const failedJobFilter = z.object({ job: name, tenantId: name, since: z.date().nullish(), until: z.date().nullish() });

/** The filter of a request. Text of it that cannot be stored, or is too long, is refused at its field. */
export const readFailedJobFilter = (given: unknown) => parseInput(failedJobFilter, given);
