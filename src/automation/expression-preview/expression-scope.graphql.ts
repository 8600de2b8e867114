import type { InputShapeFromFields } from '@pothos/core';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { ValueTypeEnum } from '#src/graphql/enums.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import { type ScopeEntry, scopeLimits } from './expression-scope.rules.ts';
import {
  itemsInput,
  type ItemSource,
  nodePathInput,
  readExpressionScope,
  readItemSources,
  type ScopeQuestion,
} from './expression-scope.service.ts';

const Entry = builder.objectRef<ScopeEntry>('ExpressionScopeEntry').implement({
  description: 'Something that an expression can read.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The expression that reads it, such as `trigger.payload.order.id`.' }),
    name: t.exposeString('name', { description: 'The name of the member; `[0]` for the first item of a list.' }),
    depth: t.exposeInt('depth', { description: 'How deep it is in the tree: 0 for `trigger` or `nodes`.' }),
    type: t.expose('type', { type: ValueTypeEnum, nullable: true, description: 'Null where only a run tells.' }),
    sample: t.expose('sample', {
      type: 'JSON',
      nullable: true,
      description: `Its value in the run; texts are cut after ${scopeLimits.text} characters. Null for objects and lists, and without a run.`,
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'True where members, further items of a list, or the end of a text are left out.',
    }),
    isDeclared: t.exposeBoolean('isDeclared', {
      description:
        'True for outputs that the manifest of a node declares, and for the error of a node after which the run goes on, that no run has left.',
    }),
  }),
});

const Source = builder.objectRef<ItemSource>('ExpressionItemSource').implement({
  description: 'A loop around a node, or a filter, whose items its expressions see one at a time.',
  fields: (t) => ({
    nodeId: t.exposeString('nodeId', { description: 'The path of the id of the loop or filter: `each/lines`.' }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'How many items it has in the run. Null without a run, and where its list yields none.',
    }),
  }),
});

const scopeArgs = builder.args((t) => ({
  workflowId: t.id({ required: true, description: 'The workflow.' }),
  nodeId: t.string({
    description: 'The id of a node, or its path within loops: `each/send`. Left out: all nodes outside of loops.',
  }),
  runId: t.id({
    description: 'A run of this workflow that samples are taken from; inside a loop, those of one item.',
  }),
  items: t.intList({
    defaultValue: [],
    required: true,
    description: 'The item of each loop around the node, from the outermost, counted from 0. Left out: the first.',
  }),
  draft: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Reads the nodes of the draft, where the workflow has one.',
  }),
  blob: t.field({
    type: 'JSON',
    description: 'Used instead of a stored one, for changes that are not saved yet.',
  }),
}));

type ScopeArgs = InputShapeFromFields<typeof scopeArgs>;

const scopeQuestion = ({ workflowId, nodeId, runId, items, draft, blob }: ScopeArgs): ScopeQuestion => ({
  workflowId: readId('Workflow', workflowId),
  nodeId: parseInput(nodePathInput.nullish(), nodeId, 'nodeId') ?? null,
  runId: runId == null ? null : readId('Run', runId),
  items: parseInput(itemsInput, items, 'items'),
  isOfDraft: draft,
  ...(blob != null && { blob }),
});

// Both evaluate the items of loops within the limits of `evaluateExpression`.
const complexity = 1_000;

builder.queryFields((t) => ({
  expressionScope: t.field({
    type: [Entry],
    nullable: true,
    authScopes: { member: true },
    complexity,
    description: `What expressions of a node can read, as a tree: each entry is followed by its members, at most ${scopeLimits.entries} in total. Null for a workflow or a run that is not there.`,
    args: scopeArgs,
    resolve(_root, args, context) {
      const { automation, actor } = inTenant(context);
      return readExpressionScope(automation, actor, context.incoming, scopeQuestion(args));
    },
  }),
  expressionItemSources: t.field({
    type: [Source],
    nullable: true,
    authScopes: { member: true },
    complexity,
    description:
      'The loops that put an item in the scope of a node, from the outermost, and the node itself where it is a filter. Null for a workflow or a run that is not there.',
    args: scopeArgs,
    resolve(_root, args, context) {
      const { automation, actor } = inTenant(context);
      return readItemSources(automation, actor, context.incoming, scopeQuestion(args));
    },
  }),
}));
