import {
  backoffKinds,
  blobLimits,
  onErrorPolicies,
  type RetryPolicy,
  type WorkflowNode,
} from '#src/automation/blob/blob.inputs.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { loadRevisionBlob, RevisionRef } from './revisions.graphql.ts';
import { blobKey } from './revisions.reads.ts';
import { maxListedParts, type PlacedEdge, placedEdges, type PlacedNode, placedNodes } from './workflow-graph.reads.ts';
import { loadCredential, WorkflowRef } from './workflows.graphql.ts';

// The blob of a workflow, typed. One load serves all workflows of a list, and one all their nodes.

const nodesOfBlob = createFieldLoader((context, blobs: unknown[], _asked: undefined) =>
  placedNodes(context.automation, blobs),
);

const edgesOfBlob = createFieldLoader(async (_context, blobs: unknown[], _asked: undefined) => placedEdges(blobs));

const loadDefinition = createFieldLoader(async (context, ids: bigint[], query: object) => {
  const found = await context.deps.database.global.node.findMany({ ...query, where: { id: { in: ids } } });
  return new Map(found.map((node) => [node.id, node]));
});

const loadTrigger = createFieldLoader(async (context, handles: string[], query: object) => {
  const { db, tenantId } = inTenant(context);
  const found = await db.trigger.findMany({ ...query, where: { tenantId, handle: { in: handles } } });
  return new Map(found.map((trigger) => [trigger.handle, trigger]));
});

const Backoff = defineEnum('WorkflowRetryBackoff', backoffKinds, {
  description: 'Whether each delay is the same or doubles.',
});

const OnError = defineEnum('WorkflowNodeOnError', onErrorPolicies, {
  description: 'What happens once the attempts at a node are spent.',
  values: {
    fail: 'The run fails.',
    continue: 'The run goes on along the branch `default`.',
    branch: 'The run goes on along the branch `error`.',
  },
});

const PositionRef = builder.objectRef<NonNullable<WorkflowNode['position']>>('WorkflowNodePosition').implement({
  description: 'In the units of the editor that wrote it.',
  fields: (t) => ({
    x: t.exposeFloat('x', { description: 'From the left.' }),
    y: t.exposeFloat('y', { description: 'From the top.' }),
  }),
});

const RetryRef = builder.objectRef<RetryPolicy>('WorkflowNodeRetry').implement({
  description: 'When a failed attempt is tried again.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Attempts after the first one.' }),
    delayMs: t.int({ description: 'Before the first of them.', resolve: ({ delay_ms: delay }) => delay }),
    maxDelayMs: t.int({ description: 'No delay is longer.', resolve: ({ max_delay_ms: delay }) => delay }),
    backoff: t.expose('backoff', { type: Backoff, description: 'How the delay goes on from attempt to attempt.' }),
  }),
});

const WorkflowNodeRef = builder.objectRef<PlacedNode>('WorkflowNode').implement({
  description: "A node of a workflow's graph.",
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its id; inside a loop, the path of ids: `each/send`.' }),
    nodeId: t.string({ description: 'Its id in the blob.', resolve: ({ node: { id } }) => id }),
    slug: t.string({ description: 'What it is a node of: `<namespace>:<name>`.', resolve: ({ node }) => node.node }),
    version: t.string({
      description: 'As the blob asks for it: an exact version, a range or `latest`.',
      resolve: ({ node }) => node.version,
    }),
    definition: t.prismaField({
      type: 'Node',
      nullable: true,
      description: 'The version that a build would take now; null where none is registered.',
      resolve: async (query, { definitionId: id }, _args, context, info) => {
        const asked = { ...query };
        return id === null ? null : await loadDefinition(context, info, id, asked);
      },
    }),
    config: t.field({
      type: 'JSON',
      description: 'As the blob has it, with its expressions.',
      resolve: ({ node: { config } }) => config,
    }),
    credential: t.prismaField({
      type: 'Credential',
      nullable: true,
      description:
        'The credential that its config names; null where there is none. `Workflow.credentials` lists them for nodes with several.',
      resolve: async (query, { credentialId: id }, _args, context, info) => {
        const asked = { ...query };
        return id === null ? null : await loadCredential(context, info, id, asked);
      },
    }),
    branches: t.stringList({
      nullable: true,
      description: 'The branches it may answer on, by its definition, config and onError; null where only a run tells.',
      resolve: ({ branches }) => branches,
    }),
    position: t.field({
      type: PositionRef,
      nullable: true,
      description: 'Where an editor draws it.',
      resolve: ({ node: { position } }) => position,
    }),
    retry: t.field({
      type: RetryRef,
      nullable: true,
      description: 'Null where a failed attempt is final.',
      resolve: ({ node: { retry } }) => retry,
    }),
    timeoutMs: t.int({
      nullable: true,
      description: 'For one attempt.',
      resolve: ({ node: { timeout_ms: timeout } }) => timeout,
    }),
    onError: t.field({
      type: OnError,
      description: 'What follows a failure.',
      resolve: ({ node: { on_error: onError } }) => onError,
    }),
  }),
});

const readHandle = ({ edge: { from } }: PlacedEdge): string | null => ('trigger' in from ? from.trigger : null);

/** Handles are UUIDs to the database, which refuses other text. */
const isHandle = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

// Relay has taken the name WorkflowEdge, for the edges of WorkflowConnection.
const WorkflowLinkRef = builder.objectRef<PlacedEdge>('WorkflowLink').implement({
  description: "An edge of a workflow's graph, from a trigger or a node to a node.",
  fields: (t) => ({
    from: t.string({
      nullable: true,
      description: 'The path of the node that it comes from; null where it comes from a trigger.',
      resolve: ({ prefix, edge: { from } }) => ('node' in from ? prefix + from.node : null),
    }),
    branch: t.string({
      nullable: true,
      description: 'The branch of that node.',
      resolve: ({ edge: { from } }) => ('node' in from ? from.branch : null),
    }),
    triggerHandle: t.string({
      nullable: true,
      description:
        'The handle of the trigger that it comes from, also of one that is deleted; null where it comes from a node.',
      resolve: readHandle,
    }),
    trigger: t.prismaField({
      type: 'Trigger',
      nullable: true,
      description: 'The trigger that it comes from; null where it comes from a node, and once the trigger is deleted.',
      resolve: async (query, edge, _args, context, info) => {
        const asked = { ...query };
        const handle = readHandle(edge);
        const found = handle !== null && isHandle(handle) ? await loadTrigger(context, info, handle, asked) : null;
        return found;
      },
    }),
    to: t.string({
      description: 'The path of the node that it goes to.',
      resolve: ({ prefix, edge: { to } }) => prefix + to,
    }),
  }),
});

builder.prismaObjectFields(WorkflowRef, (t) => ({
  nodes: t.field({
    type: [WorkflowNodeRef],
    complexity: 10,
    description: `The nodes of its blob, those in bodies of loops included; at most ${blobLimits.nodes}, and ${maxListedParts} in a list of workflows.`,
    select: { blob: true },
    resolve: async ({ blob }, _args, context, info) => (await nodesOfBlob(context, info, blob, undefined)) ?? [],
  }),
  edges: t.field({
    type: [WorkflowLinkRef],
    complexity: 10,
    description: `The edges of its blob, and of the bodies of loops; at most ${blobLimits.edges} in each, and ${maxListedParts} in a list of workflows.`,
    select: { blob: true },
    resolve: async ({ blob }, _args, context, info) => (await edgesOfBlob(context, info, blob, undefined)) ?? [],
  }),
}));

builder.objectFields(RevisionRef, (t) => ({
  nodes: t.field({
    type: [WorkflowNodeRef],
    complexity: 10,
    description: `The nodes of its blob, those in bodies of loops included; at most ${blobLimits.nodes}, and ${maxListedParts} in a list of revisions.`,
    resolve: async ({ workflowId, revision }, _args, context, info) => {
      const blob = await loadRevisionBlob(context, info, blobKey(workflowId, revision), undefined);
      return (await nodesOfBlob(context, info, blob, undefined)) ?? [];
    },
  }),
  edges: t.field({
    type: [WorkflowLinkRef],
    complexity: 10,
    description: `The edges of its blob, and of the bodies of loops; at most ${blobLimits.edges} in each, and ${maxListedParts} in a list of revisions.`,
    resolve: async ({ workflowId, revision }, _args, context, info) => {
      const blob = await loadRevisionBlob(context, info, blobKey(workflowId, revision), undefined);
      return (await edgesOfBlob(context, info, blob, undefined)) ?? [];
    },
  }),
}));
