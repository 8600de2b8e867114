import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import type { BlobDiff, Change, ChangedNode, DiffEdge } from './revision-diff.rules.ts';
import type { RevisionRow } from './revisions.reads.ts';
import {
  blobKey,
  countRevisions,
  findRevision,
  findRevisions,
  listRevisions,
  loadBlobs,
  revisionCursors,
} from './revisions.reads.ts';
import { diffRevisions, restoreRevision, type WorkflowDiff } from './revisions.service.ts';
import { WorkflowRef } from './workflows.graphql.ts';
import { restoreRevisionInput } from './workflows.inputs.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    WorkflowChange: Change;
  }
}

export const loadRevisionBlob = createFieldLoader<string, unknown>((context, keys) =>
  loadBlobs(context.deps.database, inTenant(context).tenantId, keys),
);

const RevisionPermissions = permissionsType('WorkflowRevisionPermissions', {
  restore: 'restoreWorkflowRevision',
});

export const RevisionRef = builder.objectRef<RevisionRow>('WorkflowRevision');

builder.node(RevisionRef, {
  id: { resolve: ({ workflowId, revision }) => `${workflowId}/${revision}` },
  loadOne: (id, context) => {
    const [, workflowId, revision] = /^(\d{1,18})\/(\d{1,9})$/.exec(id) ?? [];
    if (workflowId === undefined) return null;
    const key = { tenantId: inTenant(context).tenantId, workflowId: BigInt(workflowId) };
    return findRevision(context.deps.database, key, Number(revision));
  },
  isTypeOf: (value) => isRow(value, 'workflowId', 'revision', 'createdBy'),
  authScopes: { member: true },
  description: 'What a workflow was from one change of its blob to the next; the newest is what it is now.',
  fields: (t) => ({
    revision: t.exposeInt('revision', { description: 'From 1, in the order they were made.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'Email address of who made it, without one the subject; null for the system.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'Why it was made, as its author wrote; null without a note.',
    }),
    blob: t.field({
      type: 'JSON',
      description: 'The whole blob of this revision.',
      complexity: 10,
      resolve: ({ workflowId, revision }, _args, context, info) =>
        loadRevisionBlob(context, info, blobKey(workflowId, revision), undefined),
    }),
    viewerCan: t.field({ type: RevisionPermissions, resolve: () => permissions }),
  }),
});

builder.objectType('WorkflowChange', {
  description:
    'One value that differs. `from` and `to` are null where there is none; a long one is shown as text, cut.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Members and indexes joined by dots: `config.cases.0.equals`.' }),
    from: t.field({
      type: 'JSON',
      description: 'The value in the earlier of the two, by the order of the arguments.',
      nullable: true,
      resolve: ({ from }) => from,
    }),
    to: t.field({ type: 'JSON', description: 'The value in the other.', nullable: true, resolve: ({ to }) => to }),
  }),
});

const ChangedNodeRef = builder.objectRef<ChangedNode>('ChangedWorkflowNode').implement({
  description: 'A node that both revisions have, and what differs in it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Inside a loop, the path of ids: `each/send`.' }),
    changes: t.expose('changes', { type: ['WorkflowChange'], description: 'In the order of their paths.' }),
  }),
});

const NodesDiffRef = builder.objectRef<BlobDiff['nodes']>('WorkflowNodesDiff').implement({
  description: 'Nodes that differ; those added and removed as their blob has them, with paths as ids.',
  fields: (t) => ({
    added: t.expose('added', { type: ['JSON'], description: 'In `to` alone.' }),
    removed: t.expose('removed', { type: ['JSON'], description: 'In `from` alone.' }),
    changed: t.expose('changed', {
      type: [ChangedNodeRef],
      description: 'In both, with another config, version or setting.',
    }),
  }),
});

const EdgesDiffRef = builder.objectRef<{ added: DiffEdge[]; removed: DiffEdge[] }>('WorkflowEdgesDiff').implement({
  description: 'Edges that only one of the revisions has: `{from, to}`, with paths as ids.',
  fields: (t) => ({
    added: t.expose('added', { type: ['JSON'], description: 'In `to` alone.' }),
    removed: t.expose('removed', { type: ['JSON'], description: 'In `from` alone.' }),
  }),
});

const DiffRef = builder.objectRef<WorkflowDiff>('WorkflowDiff').implement({
  description: 'What turns one revision of a workflow into another.',
  fields: (t) => ({
    from: t.exposeInt('from', { description: 'The revision compared.' }),
    to: t.exposeInt('to', { description: 'The revision it is compared with.' }),
    nodes: t.expose('nodes', { type: NodesDiffRef, description: 'Nodes inside loops as well.' }),
    edges: t.expose('edges', { type: EdgesDiffRef, description: 'Edges inside loops as well.' }),
    settings: t.expose('settings', {
      type: ['WorkflowChange'],
      description: 'Changes of the settings of the workflow.',
    }),
    state: t.expose('state', {
      type: ['WorkflowChange'],
      description: 'Changes of the state namespaces that the workflow declares.',
    }),
    summary: t.exposeStringList('summary', { description: 'The same in lines that a person reads.' }),
    truncated: t.exposeBoolean('truncated', { description: 'The two differ in more than is shown.' }),
  }),
});

builder.prismaObjectField('Workflow', 'revisions', (t) =>
  t.connection(
    {
      type: RevisionRef,
      description: 'Its revisions, newest first, beginning with the present one.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: ({ id: workflowId }, page, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageByKey(
          page,
          revisionCursors,
          (keys) => listRevisions(deps.database, { tenantId, workflowId }, keys),
          (most) => countRevisions(deps.database, { tenantId, workflowId }, most),
        );
      },
    },
    defineConnection(RevisionRef),
  ),
);

const loadRevision = createFieldLoader((context, keys: string[], _asked: undefined) =>
  findRevisions(context.deps.database, inTenant(context).tenantId, keys),
);

builder.objectField('Run', 'workflowRevision', (t) =>
  t.field({
    type: RevisionRef,
    nullable: true,
    description:
      'The revision that it runs, with its nodes and edges; null once retention deleted that, or the workflow was deleted.',
    resolve: ({ workflowId, revision }, _args, context, info) =>
      loadRevision(context, info, blobKey(workflowId, revision), undefined),
  }),
);

builder.queryFields((t) => ({
  workflowRevision: t.field({
    type: RevisionRef,
    description: 'One revision of a workflow; null where there is none, or retention deleted it.',
    nullable: true,
    authScopes: { member: true },
    args: {
      workflowId: t.arg.id({ required: true }),
      revision: t.arg.int({ description: 'Its number, from 1.', required: true }),
    },
    resolve: (_root, { workflowId, revision }, context) =>
      findRevision(
        context.deps.database,
        { tenantId: inTenant(context).tenantId, workflowId: readId('Workflow', workflowId) },
        revision,
      ),
  }),
  workflowDiff: t.field({
    type: DiffRef,
    description: 'What differs between two revisions of a workflow; null where one of them is not there.',
    nullable: true,
    authScopes: { member: true },
    complexity: 20,
    args: {
      workflowId: t.arg.id({ required: true }),
      from: t.arg.int({ required: true, description: 'A revision.' }),
      to: t.arg.int({ required: true, description: 'Another one, earlier or later.' }),
    },
    resolve: (_root, { workflowId, from, to }, context) =>
      diffRevisions(
        context.deps,
        { tenantId: inTenant(context).tenantId, workflowId: readId('Workflow', workflowId) },
        from,
        to,
      ),
  }),
}));

builder.relayMutationField(
  'restoreWorkflowRevision',
  mutationInput(restoreRevisionInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description: 'Makes a new revision with the blob of an earlier one.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId, ...input } }, context) => ({
      workflow: await restoreRevision(
        context.automation,
        inTenant(context).actor,
        readId('Workflow', workflowId),
        input,
      ),
    }),
  },
  { outputFields: (t) => ({ workflow: t.field({ type: WorkflowRef, resolve: ({ workflow }) => workflow }) }) },
);
