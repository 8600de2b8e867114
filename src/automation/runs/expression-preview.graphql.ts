import { z } from 'zod';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { TriggerTypeEnum } from '#src/graphql/enums.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import { type ExpressionPreview, previewWithin, scopeOfRun } from './expression-preview.service.ts';

const Fault = builder.objectRef<NonNullable<ExpressionPreview['error']>>('ExpressionFault').implement({
  description: 'Why an expression yields nothing.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'What is wrong with it, for people.' }),
    position: t.exposeInt('position', { description: 'The character at fault, counted from 0.' }),
  }),
});

const Evaluation = builder.objectRef<ExpressionPreview>('ExpressionEvaluation').implement({
  description: 'What an expression yields.',
  fields: (t) => ({
    value: t.expose('value', { type: 'JSON', nullable: true, description: 'Null also where it yields nothing.' }),
    error: t.expose('error', { type: Fault, description: 'Null where it yields a value.', nullable: true }),
  }),
});

const Sample = builder.inputType('ExpressionSample', {
  description: 'What an expression sees where there is no run yet.',
  fields: (t) => ({
    payload: t.field({ type: 'JSON', description: 'Becomes `trigger.payload`.' }),
    triggerType: t.field({
      type: TriggerTypeEnum,
      description: 'Becomes `trigger.type`.',
      defaultValue: 'manual',
      required: true,
    }),
    outputs: t.field({ type: 'JSON', description: 'Outputs by node id: `{"fetch": {"status": 200}}`.' }),
    item: t.field({ type: 'JSON', description: 'The item of a loop.' }),
    index: t.int({ description: 'Its index.' }),
  }),
});

const Scope = builder.inputType('ExpressionScope', {
  isOneOf: true,
  description: 'What an expression sees.',
  fields: (t) => ({
    runId: t.id({ description: 'What the steps of this run left, outside of its loops.' }),
    sample: t.field({ type: Sample, description: 'What you make up, without a run.' }),
  }),
});

const outputsInput = z.record(z.string().max(64), z.unknown()).nullish();

builder.queryField('evaluateExpression', (t) =>
  t.field({
    type: Evaluation,
    authScopes: { member: true },
    // At most a second of computing, shared by all of a request: four fit into the maximum cost of a document.
    complexity: 1_000,
    description:
      'Evaluates text with `{{ expressions }}`, or one expression without braces, as a run would. A secret stands as `[redacted]`.',
    args: {
      expression: t.arg.string({
        description: 'The text or expression, as a field of a node holds it.',
        required: true,
      }),
      scope: t.arg({ type: Scope, description: 'What it sees: a run, or a sample.', required: true }),
    },
    async resolve(_root, { expression, scope: { runId, sample } }, context) {
      const { deps, actor, tenantId } = inTenant(context);
      if (runId != null) {
        const scope = await scopeOfRun(deps.database, tenantId, readId('Run', runId));
        return previewWithin(context.incoming, deps, actor, expression, scope);
      }
      const outputs = parseInput(outputsInput, sample?.outputs, 'scope.sample.outputs') ?? {};
      return previewWithin(context.incoming, deps, actor, expression, {
        trigger: { payload: sample?.payload ?? null, type: sample?.triggerType ?? 'manual', handle: null },
        nodes: Object.fromEntries(Object.entries(outputs).map(([id, value]) => [id, { outputs: value }])),
        run: { id: 0, started_at: new Date().toISOString() },
        ...(sample?.item !== undefined && { item: sample.item }),
        ...(sample?.index != null && { index: sample.index }),
      });
    },
  }),
);
