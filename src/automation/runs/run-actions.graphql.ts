import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { RunRef } from './runs.graphql.ts';
import { resumeRunInput } from './runs.inputs.ts';
import { requireRun } from './runs.reads.ts';
import { cancelRun, rerunRun, resumeRun, retryRun } from './runs.service.ts';

builder.relayMutationField(
  'cancelRun',
  { inputFields: idField },
  {
    description: 'Stops a run that has not ended: steps under way are given up, and none begins.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, context) =>
      cancelRun(context.automation, inTenant(context).actor, readId('Run', id)),
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: RunRef,
        resolve: ({ runId }, _args, context) => requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
    }),
  },
);

builder.relayMutationField(
  'retryRun',
  { inputFields: idField },
  {
    description:
      'Resumes a failed run from the steps that failed, with the revision of the workflow that it started with. `rerunRun` runs the workflow as it now is.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, context) =>
      retryRun(context.automation, inTenant(context).actor, readId('Run', id)),
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: RunRef,
        resolve: ({ runId }, _args, context) => requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'Says which revision the run keeps where the workflow has changed since; null where it has not.',
      }),
    }),
  },
);

builder.relayMutationField(
  'rerunRun',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      payload: t.field({ type: 'JSON', description: 'Instead of the payload the run had.' }),
    }),
  },
  {
    description:
      'Starts a new run of the workflow as it now is, with its current revision. `retryRun` resumes the run with its own.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...changes } }, context) =>
      rerunRun(context.automation, inTenant(context).actor, readId('Run', id), changes),
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: RunRef,
        description: 'The new run.',
        resolve: ({ runId }, _args, context) => requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
    }),
  },
);

builder.relayMutationField(
  'resumeRun',
  mutationInput(resumeRunInput, idField),
  {
    description: 'Resumes a run that waits for an outside caller. A token is good once.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...given } }, context) =>
      resumeRun(context.automation, inTenant(context).actor, readId('Run', id), given),
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: RunRef,
        resolve: ({ runId }, _args, context) => requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
    }),
  },
);
