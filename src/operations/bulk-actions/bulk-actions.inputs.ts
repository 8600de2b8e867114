import { z } from 'zod';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';

/** Items that a caller may name by id. */
const maxIds = 10_000;

const byName = (type: string) => z.unknown().register(graphTypes, { type });

/** Which items an action takes: those of a filter, or those with the ids. `filterType` is the graph's input type of the list's filter. */
export const selectionInput = (filterType: string, taken: string) =>
  z.object({
    filter: byName(filterType)
      .nullish()
      .describe(`As the list takes it; of what matches, ${taken}. Empty for all of them. Stands without \`ids\`.`),
    ids: z
      .array(globalId)
      .min(1)
      .max(maxIds)
      .nullish()
      .describe(`These, at most ${maxIds}. One that the action does not apply to is refused and recorded.`),
    dryRun: z.boolean().nullish().describe('Changes nothing: only counts, and shows the first 20.'),
  });

/** The ids alone, for the edge: the filter has been read by the graph. */
export const selectedIdsInput = z.object({
  ids: z.array(globalId).min(1, 'Name at least one.').max(maxIds, `Name at most ${maxIds}, or use a filter.`).nullish(),
});

/** Bytes that each resumed step is given; a batch writes them hundreds of times. */
export const maxResumeBytes = 64 * 1024;

export const retryRunsInput = selectionInput('RunFilter', 'the failed ones');
export const rerunRunsInput = selectionInput('RunFilter', 'those that have ended');
export const cancelRunsInput = selectionInput('RunFilter', 'those that have not ended');
export const resumeRunsInput = selectionInput('RunFilter', 'those that wait').extend({
  data: z.unknown().optional().describe('Becomes the output of every step that is resumed, at most 64 KiB of JSON.'),
});
export const deadLettersInput = selectionInput('DeadLetterFilter', 'the pending ones');
export const deliveriesInput = selectionInput('WebhookDeliveryFilter', 'all');

export const retryFailedJobsInput = selectionInput('FailedJobFilter', 'all');

export const eventIdInput = z.object({ eventId: z.guid('An event has a UUID.').nullish() });

/** What every start of an action takes. */
export interface SelectionInput {
  filter?: unknown;
  ids?: readonly string[] | null;
  dryRun?: boolean | null;
}
