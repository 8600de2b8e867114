import { maxCalls, type SentCall } from '#src/automation/node-api/sent-calls.ts';
import { StepRef } from '#src/automation/runs/run-details.graphql.ts';
import { readOfSteps, writeStepKey } from '#src/automation/runs/run-details.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';

const loadCalls = createFieldLoader((context, keys: string[], _asked: undefined) =>
  readOfSteps<SentCall[] | null>(context.deps.database, inTenant(context).tenantId, keys, {
    name: 'calls',
    expression: 's.calls',
  }),
);

const StepCall = builder.objectRef<SentCall>('StepCall').implement({
  description: 'A request that a step sent to another system.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'Of the request, as `POST`.' }),
    url: t.exposeString('url', { description: 'Where it was sent, without the query and with secrets redacted.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The HTTP status of the answer; null where nobody answered, or not yet.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why nobody answered, as `timeout` or `connect`; null where somebody did, or may still.',
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Until the answer was read or given up; null while it is under way.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was sent.' }),
  }),
});

builder.objectFields(StepRef, (t) => ({
  calls: t.field({
    type: [StepCall],
    complexity: 1,
    description: `The requests that it sent to other systems, the first ${maxCalls}.`,
    resolve: async (step, _args, context, info) =>
      ('calls' in step ? step.calls : await loadCalls(context, info, writeStepKey(step), undefined)) ?? [],
  }),
}));
