import { fireWebhook } from '#src/automation/firings/webhooks.service.ts';
import { builder, errorTypes } from '#src/graphql/builder.ts';
import type { Context } from '#src/graphql/context.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { RunRef } from './runs.graphql.ts';
import { findRuns, type RunRow } from './runs.reads.ts';
import { cancelRun, rerunRun, resumeRun, retryRun, type RunAnswer, startRun } from './runs.service.ts';

/** The run as it now is; read only when the payload's run is asked for. */
async function runOf({ runId }: RunAnswer, { deps, tenantId }: Context): Promise<RunRow> {
  const run = (await findRuns(deps.database, tenantId, [runId])).get(runId);
  if (!run) throw new NotFoundError();
  return run;
}

builder.relayMutationField(
  'startRun',
  {
    inputFields: (t) => ({
      workflowId: t.id({ required: true }),
      triggerHandle: t.string({ description: 'Without one, the workflow’s active manual trigger.' }),
      payload: t.field({ type: 'JSON' }),
      idempotencyKey: t.string({ description: 'Repeated, it answers the run it first started.' }),
    }),
  },
  {
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { workflowId, ...input } }, { deps, actor }) =>
      startRun(deps, actor, { ...input, workflowId: readId('Workflow', workflowId) }),
  },
  {
    outputFields: (t) => ({
      run: t.field({ type: RunRef, resolve: (answer, _args, context) => runOf(answer, context) }),
    }),
  },
);

builder.relayMutationField(
  'cancelRun',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, { deps, actor }) => cancelRun(deps, actor, readId('Run', id)),
  },
  {
    outputFields: (t) => ({
      run: t.field({ type: RunRef, resolve: (answer, _args, context) => runOf(answer, context) }),
    }),
  },
);

builder.relayMutationField(
  'retryRun',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Resumes a failed run from the steps that failed.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, { deps, actor }) => retryRun(deps, actor, readId('Run', id)),
  },
  {
    outputFields: (t) => ({
      run: t.field({ type: RunRef, resolve: (answer, _args, context) => runOf(answer, context) }),
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
    description: 'Starts a new run of the workflow as it now is.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...changes } }, { deps, actor }) =>
      rerunRun(deps, actor, readId('Run', id), changes),
  },
  {
    outputFields: (t) => ({
      run: t.field({ type: RunRef, resolve: (answer, _args, context) => runOf(answer, context) }),
    }),
  },
);

builder.relayMutationField(
  'resumeRun',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      token: t.string({ required: true, description: 'Of the step that waits.' }),
      data: t.field({ type: 'JSON', description: 'Becomes the output of the step.' }),
    }),
  },
  {
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...given } }, { deps, actor }) => resumeRun(deps, actor, readId('Run', id), given),
  },
  {
    outputFields: (t) => ({
      run: t.field({ type: RunRef, resolve: (answer, _args, context) => runOf(answer, context) }),
    }),
  },
);

builder.relayMutationField(
  'fireWebhook',
  {
    inputFields: (t) => ({
      handle: t.string({ required: true }),
      payload: t.field({ type: 'JSON', description: 'What the workflow sees as trigger.payload.' }),
    }),
  },
  {
    description: 'Fires a webhook trigger. A firing that cannot start a run now is kept as a dead letter.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input }, { deps, actor }) => fireWebhook(deps, actor, input),
  },
  {
    outputFields: (t) => ({
      runId: t.expose('runId', { type: 'Long', nullable: true }),
      deadLetterId: t.expose('deadLetterId', { type: 'Long', nullable: true }),
      status: t.exposeString('status', { description: 'Of the run, or `pending` for a dead letter.' }),
      finished: t.exposeBoolean('finished', { description: 'The trigger answers on finish, and the run has ended.' }),
      result: t.expose('result', { type: 'JSON', nullable: true }),
      error: t.exposeString('error', { nullable: true }),
    }),
  },
);
