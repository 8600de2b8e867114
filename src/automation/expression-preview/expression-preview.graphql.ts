import { z } from 'zod';
import { type FunctionHelp, functionHelp } from '#src/automation/expressions/function-help.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { TriggerTypeEnum, ValueTypeEnum } from '#src/graphql/enums.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import {
  type ExpressionPreview,
  pathsToRead,
  previewLimits,
  previewWithin,
  readRunScope,
  type Seen,
} from './expression-preview.service.ts';
import { itemsInput, nodePathInput, readNodeScope } from './expression-scope.service.ts';

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
    type: t.expose('type', {
      type: ValueTypeEnum,
      nullable: true,
      description: 'Of the value; null where there is an error.',
    }),
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

const NodeSample = builder.inputType('ExpressionNodeScope', {
  description: 'What the expressions of a node read of a run.',
  fields: (t) => ({
    workflowId: t.id({ required: true, description: 'The workflow.' }),
    nodeId: t.string({ required: true, description: 'The id of the node, or its path within loops: `each/send`.' }),
    runId: t.id({ required: true, description: 'A run of this workflow.' }),
    items: t.intList({
      defaultValue: [],
      required: true,
      description: 'The item of each loop around the node, from the outermost, counted from 0. Left out: the first.',
    }),
    blob: t.field({ type: 'JSON', description: 'A blob to use instead of the stored one.' }),
  }),
});

const Scope = builder.inputType('ExpressionScope', {
  isOneOf: true,
  description: 'What an expression sees.',
  fields: (t) => ({
    runId: t.id({ description: 'What the steps of this run left, outside of its loops.' }),
    node: t.field({
      type: NodeSample,
      description:
        'What a node reads of a run, as `expressionScope` shows it: inside a loop, one of its items, and the outputs that its other nodes left for that item.',
    }),
    sample: t.field({ type: Sample, description: 'What you make up, without a run.' }),
  }),
});

const Help = builder.objectRef<FunctionHelp>('ExpressionFunction').implement({
  description: 'A function that expressions may call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Without the `$`.' }),
    signature: t.exposeString('signature', { description: 'How it is called: `$substring(text, start, length?)`.' }),
    description: t.exposeString('description', { description: 'What it does, in one line.' }),
    example: t.exposeString('example', { description: 'An expression that calls it, and needs no scope.' }),
    yields: t.expose('yields', { type: 'JSON', description: 'The value of the example.' }),
  }),
});

const expressionsInput = z
  .array(z.string())
  .max(previewLimits.expressions, `Give at most ${previewLimits.expressions} expressions.`)
  .refine((texts) => texts.reduce((sum, text) => sum + text.length, 0) <= previewLimits.source, {
    message: `Give at most ${previewLimits.source} characters in total.`,
  });

const outputsInput = z.record(z.string().max(64), z.unknown()).nullish();

interface GivenScope {
  runId?: string | number | null;
  node?: typeof NodeSample.$inferInput | null;
  sample?: typeof Sample.$inferInput | null;
}

/** The scope that the arguments of a query describe; of a run, what the expressions may read of it, in one read. */
function resolveScope(
  expressions: readonly string[],
  ...[{ runId, node, sample }, context]: [GivenScope, Context]
): Promise<Seen> | Seen {
  const { deps, tenantId, automation, actor } = inTenant(context);
  if (node != null)
    return readNodeScope(automation, actor, context.incoming, {
      expressions,
      workflowId: readId('Workflow', node.workflowId),
      nodeId: parseInput(nodePathInput, node.nodeId, 'scope.node.nodeId'),
      runId: readId('Run', node.runId),
      items: parseInput(itemsInput, node.items, 'scope.node.items'),
      ...(node.blob != null && { blob: node.blob }),
    });
  if (runId != null) return readRunScope(deps.database, tenantId, readId('Run', runId), pathsToRead(expressions));
  const outputs = parseInput(outputsInput, sample?.outputs, 'scope.sample.outputs') ?? {};
  return {
    trigger: { payload: sample?.payload ?? null, type: sample?.triggerType ?? 'manual', handle: null },
    nodes: Object.fromEntries(Object.entries(outputs).map(([id, value]) => [id, { outputs: value }])),
    run: { id: 0, started_at: new Date().toISOString() },
    ...(sample?.item !== undefined && { item: sample.item }),
    ...(sample?.index != null && { index: sample.index }),
  };
}

// At most a second of computing, shared by all of a request: four fit into the maximum cost of a document.
const complexity = 1_000;

builder.queryFields((t) => ({
  evaluateExpression: t.field({
    type: Evaluation,
    authScopes: { member: true },
    complexity,
    description:
      'Evaluates text with `{{ expressions }}`, or one expression without braces, as a run would. A secret stands as `[redacted]`.',
    args: {
      expression: t.arg.string({
        description: 'The text or expression, as a field of a node holds it.',
        required: true,
      }),
      scope: t.arg({ type: Scope, description: 'What it sees: a run, or a sample.', required: true }),
    },
    async resolve(_root, { expression, scope }, context) {
      const { deps, actor } = inTenant(context);
      const seen = await resolveScope([expression], scope, context);
      const [preview] = await previewWithin(context.incoming, deps, actor, [expression], seen);
      return preview as ExpressionPreview;
    },
  }),
  evaluateExpressions: t.field({
    type: [Evaluation],
    authScopes: { member: true },
    complexity,
    description:
      'Evaluates up to 100 texts or expressions against the same scope, as `evaluateExpression` would one. Together they may take what one may: a second of computing, and values of 8 MiB.',
    args: {
      expressions: t.arg.stringList({
        description: 'Texts or expressions, as fields of nodes hold them; at most 262,144 characters in total.',
        required: true,
      }),
      scope: t.arg({ type: Scope, description: 'What they see: a run, or a sample.', required: true }),
    },
    async resolve(_root, { expressions, scope }, context) {
      const { deps, actor } = inTenant(context);
      const texts = parseInput(expressionsInput, expressions, 'expressions');
      return previewWithin(context.incoming, deps, actor, texts, await resolveScope(texts, scope, context));
    },
  }),
  expressionFunctions: t.field({
    type: [Help],
    authScopes: { authenticated: true },
    complexity: 10,
    description: 'Every function that an expression may call, by subject. The list is the same for every tenant.',
    resolve: () => functionHelp,
  }),
}));
