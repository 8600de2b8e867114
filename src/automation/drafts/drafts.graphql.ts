import type { Workflow } from '#prisma/client.ts';
import { previewBlob } from '#src/automation/workflows/bundles.service.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { ErrorInterface, errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { selects } from '#src/graphql/selects.ts';
import { readId } from '#src/infra/inputs.ts';
import { DraftConflictError } from './draft-conflict.rules.ts';
import { conflictKinds, type MergeConflict } from './draft-merge.rules.ts';
import { discardDraftInput, publishDraftInput, saveDraftInput } from './drafts.inputs.ts';
import { type DraftRow, loadDrafts } from './drafts.reads.ts';
import { discardDraft, publishDraft, saveDraft, type SavedDraft } from './drafts.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    WorkflowDraft: DraftRow;
  }
}

builder.objectType('WorkflowDraft', {
  description: 'An unfinished edit of a workflow. It may be invalid; triggers run the published revision.',
  fields: (t) => ({
    version: t.exposeInt('version', {
      description: 'Counts the saves of the workflow’s drafts; a save names the version that it began with.',
    }),
    baseRevision: t.exposeInt('baseRevision', { description: 'The revision whose changes the blob contains.' }),
    isBehind: t.exposeBoolean('isBehind', {
      description: 'Whether the workflow has a newer revision, with which the next save is merged.',
    }),
    savedBy: t.exposeString('savedBy', {
      nullable: true,
      description: 'Email address of who saved it, without one the subject; null for the system.',
    }),
    savedAt: t.expose('savedAt', { type: 'DateTime', description: 'When it was saved.' }),
    blob: t.expose('blob', { type: 'JSON', complexity: 10, description: 'The whole blob, as in `Workflow.blob`.' }),
    pins: t.expose('pins', {
      type: 'JSON',
      complexity: 10,
      description: 'Outputs by the path of their node, for test runs; no revision contains them.',
    }),
    validation: t.field({
      type: 'WorkflowValidation',
      // As much as `validateWorkflow`.
      complexity: 250,
      description: 'What publishing the draft would say of it.',
      resolve: async ({ tenantId, workflowId, blob }, _args, { automation }) => ({
        ...(await previewBlob(automation, tenantId, blob, BigInt(workflowId))),
        blob,
      }),
    }),
  }),
});

const loadDraft = createFieldLoader((context, ids: string[], withContent: boolean) =>
  loadDrafts(context.deps.database, inTenant(context).tenantId, ids, withContent),
);

builder.prismaObjectField('Workflow', 'draft', (t) =>
  t.field({
    type: 'WorkflowDraft',
    nullable: true,
    complexity: 10,
    description: 'Its unfinished edit; null where there is none.',
    select: { id: true },
    resolve: async ({ id }, _args, context, info) => {
      const withContent = ['blob', 'pins', 'validation'].some((field) => selects(info, field));
      return (await loadDraft(context, info, String(id), withContent)) ?? null;
    },
  }),
);

/** Also a workflow that was deleted since: what was answered for it was done. */
function loadWorkflow(query: object, { id }: Pick<Workflow, 'id'>, context: Context): Promise<Workflow> {
  const { db, tenantId } = inTenant(context);
  return db.workflow.findUniqueOrThrow({ ...query, where: { tenantId_id: { tenantId, id } } });
}

const ConflictKind = defineEnum('WorkflowDraftConflictKind', conflictKinds, {
  description: 'What two edits disagree on.',
  values: {
    node: 'A node, apart from its position and the graph of its loop.',
    position: 'Where a node is drawn.',
    edge: 'An edge that one edit drew to or from a node which the other removed.',
    setting: 'A setting, or a state namespace.',
  },
});

const MergeConflictRef = builder.objectRef<MergeConflict>('WorkflowDraftMergeConflict').implement({
  description: 'One place where two edits disagree. A value is null where an edit has none there.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ConflictKind, description: 'What it is.' }),
    path: t.exposeString('path', {
      description:
        'A node’s path of ids (`each/send`), an edge (`each/get.default -> each/send`), or members joined by dots (`settings.concurrency`).',
    }),
    base: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value that both edits began with.',
      resolve: ({ base }) => base,
    }),
    mine: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value that was sent.',
      resolve: ({ mine }) => mine,
    }),
    theirs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value that is stored.',
      resolve: ({ theirs }) => theirs,
    }),
  }),
});

builder.objectType(DraftConflictError, {
  name: 'DraftConflict',
  interfaces: [ErrorInterface],
  description:
    'A save that began with another version of the draft than the present one, or that disagrees with a newer revision. It changed nothing: decide the conflicts and save again with `version` and `baseRevision`.',
  fields: (t) => ({
    version: t.int({
      description: 'The present version, for the next save; 0 where the draft was published or discarded.',
      resolve: ({ conflict }) => conflict.version,
    }),
    baseRevision: t.int({
      description: 'The revision that the merged blob contains, for the next save.',
      resolve: ({ conflict }) => conflict.baseRevision,
    }),
    base: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The blob that both edits began with; null where it is too old to be kept.',
      resolve: ({ conflict }) => conflict.base,
    }),
    mine: t.field({ type: 'JSON', description: 'The blob that was sent.', resolve: ({ conflict }) => conflict.mine }),
    theirs: t.field({
      type: 'JSON',
      description: 'The blob that is stored: of the draft, or of the newest revision.',
      resolve: ({ conflict }) => conflict.theirs,
    }),
    merged: t.field({
      type: 'JSON',
      description: 'The changes of both, by node and edge; mine where they disagree.',
      resolve: ({ conflict }) => conflict.merge.blob,
    }),
    conflicts: t.field({
      type: [MergeConflictRef],
      description: 'Everything that they disagree on.',
      resolve: ({ conflict }) => conflict.merge.conflicts,
    }),
  }),
});

builder.relayMutationField(
  'saveWorkflowDraft',
  mutationInput(saveDraftInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description:
      'Stores an unfinished edit without publishing it. A save that did not begin with the present version answers a DraftConflict.',
    authScopes: { admin: true },
    errors: { types: [DraftConflictError, ...errorTypes.types] },
    resolve: (_root, { input: { workflowId, ...input } }, context): Promise<SavedDraft> =>
      saveDraft(context.deps, inTenant(context).actor, readId('Workflow', workflowId), input),
  },
  {
    outputFields: (t) => ({
      draft: t.field({ type: 'WorkflowDraft', description: 'What was saved.', resolve: ({ draft }) => draft }),
      isMerged: t.boolean({
        description: 'Whether the blob was merged with a newer revision: go on from the blob of `draft`.',
        resolve: ({ isMerged }) => isMerged,
      }),
      workflow: t.prismaField({
        type: 'Workflow',
        resolve: (query, { workflow }, _args, context) => loadWorkflow(query, workflow, context),
      }),
    }),
  },
);

builder.relayMutationField(
  'publishWorkflow',
  mutationInput(publishDraftInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description: 'Makes the draft the next revision and begins to build it. A draft that is not valid is refused.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId, ...input } }, context) => ({
      workflow: await publishDraft(context.automation, inTenant(context).actor, readId('Workflow', workflowId), input),
    }),
  },
  {
    outputFields: (t) => ({
      workflow: t.prismaField({
        type: 'Workflow',
        resolve: (query, { workflow }, _args, context) => loadWorkflow(query, workflow, context),
      }),
    }),
  },
);

builder.relayMutationField(
  'discardWorkflowDraft',
  mutationInput(discardDraftInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description: 'Deletes the draft of a workflow, which stays as it was published.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId, ...input } }, context) => ({
      workflow: await discardDraft(context.deps, inTenant(context).actor, readId('Workflow', workflowId), input),
    }),
  },
  {
    outputFields: (t) => ({
      workflow: t.prismaField({
        type: 'Workflow',
        resolve: (query, { workflow }, _args, context) => loadWorkflow(query, workflow, context),
      }),
    }),
  },
);
