import { builder } from '#src/graphql/builder.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput, readUuid } from '#src/infra/inputs.ts';
import { selectFailedJobs, selectGivenJobs } from '#src/operations/failed-jobs/bulk-failed-jobs.store.ts';
import { readFailedJobFilter } from '#src/operations/failed-jobs/failed-jobs.inputs.ts';
import { findFailedJobs } from '#src/operations/failed-jobs/failed-jobs.reads.ts';
import { actAsOperator, ofOperators } from './bulk-action-owners.store.ts';
import { accessTo, BulkActionRef, requireBulkAction } from './bulk-actions.graphql.ts';
import { retryFailedJobsInput, selectedIdsInput } from './bulk-actions.inputs.ts';
import { rehearseWithKeys, startBulkAction } from './bulk-actions.service.ts';

builder.relayMutationField(
  'retryFailedJobs',
  mutationInput(retryFailedJobsInput),
  {
    description:
      'Puts many failed jobs back into their queues, as `retryFailedJob` does one. It starts with few. The action is of operators, and of no tenant.',
    authScopes: accessTo('retry_failed_jobs'),
    errors: errorTypes,
    resolve: async (_root, { input: { filter, dryRun, ...input } }, { deps, principal }) => {
      const { ids } = parseInput(selectedIdsInput, { ids: input.ids });
      if ((filter == null) === (ids == null)) throw new ValidationError({ filter: ['Give either a filter or ids.'] });
      const keys =
        ids != null
          ? selectGivenJobs(ids.map((id) => readUuid('FailedJob', id)))
          : selectFailedJobs(readFailedJobFilter(filter));
      if (dryRun === true) return { id: null, ...(await rehearseWithKeys(deps, ofOperators, { keys })) };
      const started = await startBulkAction(deps, actAsOperator(principal), {
        kind: 'retry_failed_jobs',
        selection: { keys },
        asked: ids == null ? { filter } : { ids },
      });
      return { ...started, sample: [] };
    },
  },
  {
    outputFields: (t) => ({
      bulkAction: t.field({
        type: BulkActionRef,
        nullable: true,
        description: 'The action; null for a dry run.',
        resolve: ({ id }, _args, context) => (id === null ? null : requireBulkAction(context, id)),
      }),
      count: t.exposeInt('count', { description: 'How many items it has; of a dry run, how many it would have.' }),
      failedJobs: t.field({
        type: ['FailedJob' as never],
        description: 'The first items of a dry run, the oldest first; empty without one.',
        resolve: async ({ sample }, _args, { deps }) => {
          if (sample.length === 0) return [] as never;
          const found = new Map((await findFailedJobs(deps, sample)).map((job) => [job.id, job]));
          return sample.flatMap((id) => found.get(id) ?? []) as never;
        },
      }),
    }),
  },
);
