import { builder } from '#src/graphql/builder.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readKey } from '#src/infra/inputs.ts';
import { failedJobInput, readFailedJobFilter } from './failed-jobs.inputs.ts';
import {
  countFailedJobs,
  type FailedJob,
  failedJobCursors,
  findFailedJob,
  listFailedJobs,
} from './failed-jobs.reads.ts';
import { discardFailedJob, retryFailedJob } from './failed-jobs.service.ts';

const FailedJobRef = builder.objectRef<FailedJob>('FailedJob');

const FailedJobPermissions = permissionsType('FailedJobPermissions', {
  retry: 'retryFailedJob',
  discard: 'discardFailedJob',
});

builder.node(FailedJobRef, {
  id: { resolve: ({ id }) => id },
  loadOne: (id, context) => (failedJobInput.safeParse({ id }).success ? findFailedJob(context.deps, id) : null),
  isTypeOf: (value) => isRow(value, 'job', 'attempts'),
  description: 'A job of the queue that failed at its last attempt, kept for fourteen days.',
  authScopes: { operator: true },
  fields: (t) => ({
    jobId: t.exposeString('id', { description: 'Its UUID, as the log and the audit log have it.' }),
    job: t.exposeString('job', { description: 'Its name, e.g. automation.workflow.build.' }),
    payload: t.expose('payload', { type: 'JSON', description: 'The ids that it was sent with.' }),
    error: t.exposeString('error', { description: 'Why the last attempt failed, at most 2,000 characters.' }),
    attempts: t.exposeInt('attempts', { description: 'How many attempts failed.' }),
    viewerCan: t.field({ type: FailedJobPermissions, resolve: () => permissions }),
    sentAt: t.expose('sentAt', { type: 'DateTime', description: 'When it was put into the queue.' }),
    failedAt: t.expose('failedAt', { type: 'DateTime', description: 'When the last attempt failed.' }),
  }),
});

const FailedJobFilterInput = builder.inputType('FailedJobFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    job: t.string({ description: 'Name of the job, e.g. automation.workflow.build.' }),
    tenantId: t.string({ description: 'Those that were sent for this tenant.' }),
    since: t.field({ type: 'DateTime', description: 'Failed at this instant or later.' }),
    until: t.field({ type: 'DateTime', description: 'Failed before this instant.' }),
  }),
});

builder.queryFields((t) => ({
  failedJobs: t.connection(
    {
      type: FailedJobRef,
      authScopes: { operator: true },
      description: 'Failed jobs of all tenants, newest first.',
      args: { filter: t.arg({ type: FailedJobFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter, ...page }, { deps }) =>
        pageByKey(
          page,
          failedJobCursors,
          (keys) => listFailedJobs(deps, readFailedJobFilter(filter ?? {}), keys),
          (most) => countFailedJobs(deps.database, readFailedJobFilter(filter ?? {}), most),
        ),
    },
    defineConnection(FailedJobRef),
  ),
}));

builder.relayMutationField(
  'retryFailedJob',
  mutationInput(failedJobInput),
  {
    authScopes: { operator: true },
    errors: errorTypes,
    description: 'Puts the job back into its queue. Where it fails again, it becomes another failed job.',
    resolve: async (_root, { input }, { deps, principal }) => ({
      failedJob: await retryFailedJob(deps, principal, { id: readKey('FailedJob', input.id) }),
    }),
  },
  { outputFields: (t) => ({ failedJob: t.field({ type: FailedJobRef, resolve: ({ failedJob }) => failedJob }) }) },
);

builder.relayMutationField(
  'discardFailedJob',
  mutationInput(failedJobInput),
  {
    authScopes: { operator: true },
    errors: errorTypes,
    description: 'Gives the job up.',
    resolve: async (_root, { input }, { deps, principal }) => ({
      failedJob: await discardFailedJob(deps, principal, { id: readKey('FailedJob', input.id) }),
    }),
  },
  { outputFields: (t) => ({ failedJob: t.field({ type: FailedJobRef, resolve: ({ failedJob }) => failedJob }) }) },
);
