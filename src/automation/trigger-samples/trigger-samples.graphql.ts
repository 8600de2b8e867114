import { requireRun } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { readSamplePayload, type TriggerSample } from './trigger-samples.reads.ts';
import { openTriggerSample } from './watch-trigger.service.ts';

const TriggerSampleRef = builder.objectRef<TriggerSample>('TriggerSample').implement({
  description: 'One firing of a trigger, as a sample for an editor.',
  fields: (t) => ({
    payload: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description: 'What the trigger brought: pin it, or start a test run with it.',
      resolve: (sample, _args, context) => readSamplePayload(context.deps.database, inTenant(context).tenantId, sample),
    }),
    firedAt: t.expose('firedAt', { type: 'DateTime', description: 'When it fired.' }),
    run: t.field({
      type: 'Run',
      nullable: true,
      description: 'The run that the firing started; null where it was kept as a dead letter.',
      resolve: ({ runId }, _args, context) =>
        runId === null ? null : requireRun(context.deps.database, inTenant(context).tenantId, runId),
    }),
    deadLetter: t.prismaField({
      type: 'DeadLetter',
      nullable: true,
      description: 'The dead letter that the firing was kept as; null where it started a run.',
      resolve: (query, { deadLetterId }, _args, context) => {
        const { db, tenantId } = inTenant(context);
        const asked = { ...query };
        return deadLetterId === null
          ? null
          : db.deadLetter.findFirst({ ...asked, where: { tenantId, id: deadLetterId } });
      },
    }),
  }),
});

builder.subscriptionField('triggerCaptured', (t) =>
  t.field({
    type: TriggerSampleRef,
    authScopes: { member: true },
    description:
      'The next real firing of a trigger, then the end. The firing starts its run, or becomes a dead letter, as without a listener; test runs and reruns are no firings. Ends without one once the trigger is deleted, or after an hour.',
    args: { triggerId: t.arg.id({ description: 'The trigger to listen to.', required: true }) },
    subscribe: async (_root, { triggerId }, context) =>
      new LiveStream(
        await openTriggerSample(context.automation, inTenant(context).tenantId, readId('Trigger', triggerId)),
      ),
    resolve: (sample: TriggerSample) => sample,
  }),
);
