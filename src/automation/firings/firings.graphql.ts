import { runStatuses } from '#src/automation/runs/run-status.rules.ts';
import { requireRun } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { fireWebhookInput } from './firings.inputs.ts';
import { fireWebhook } from './webhooks.service.ts';

const FiringStatus = defineEnum('FiringStatus', [...runStatuses, 'pending'], {
  description: 'The status of the run that a firing started, or of the dead letter it was kept as.',
  values: { pending: 'Kept as a dead letter.' },
});

builder.relayMutationField(
  'fireWebhook',
  mutationInput(fireWebhookInput, (t) => ({
    handle: t.string({ description: 'The handle of the webhook trigger.', required: true }),
    payload: t.field({ type: 'JSON', description: 'What the workflow sees as trigger.payload.' }),
  })),
  {
    description: 'Fires a webhook trigger. A firing that cannot start a run now is kept as a dead letter.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const fired = await fireWebhook(context.automation, inTenant(context).actor, input);
      logAccepted(context, { runId: fired.runId, deadLetterId: fired.deadLetterId });
      return fired;
    },
  },
  {
    outputFields: (t) => ({
      runId: t.expose('runId', { type: 'Long', description: 'The `databaseId` of the run.', nullable: true }),
      run: t.field({
        type: 'Run',
        nullable: true,
        description: 'Null where the firing was kept as a dead letter.',
        resolve: ({ runId }, _args, context) =>
          runId === null ? null : requireRun(context.deps.database, inTenant(context).tenantId, runId),
      }),
      deadLetterId: t.expose('deadLetterId', {
        type: 'Long',
        description: 'The `databaseId` of the dead letter.',
        nullable: true,
      }),
      deadLetter: t.prismaField({
        type: 'DeadLetter',
        description: 'Null where the firing started a run.',
        nullable: true,
        resolve: (query, { deadLetterId }, _args, context) => {
          const { db, tenantId } = inTenant(context);
          const asked = { ...query };
          if (deadLetterId === null) return null;
          return db.deadLetter.findUniqueOrThrow({ ...asked, where: { tenantId_id: { tenantId, id: deadLetterId } } });
        },
      }),
      status: t.field({
        type: FiringStatus,
        description: 'Of the run, or `PENDING` for a dead letter.',
        resolve: ({ status }) => status as 'pending',
      }),
      finished: t.exposeBoolean('finished', { description: 'The trigger answers on finish, and the run has ended.' }),
      result: t.expose('result', {
        type: 'JSON',
        description: 'The result of the run; null unless it finished.',
        nullable: true,
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'Where the body does not fit the message that the trigger expects; null if it fits.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Why the run failed; null unless it finished and failed.',
      }),
    }),
  },
);
