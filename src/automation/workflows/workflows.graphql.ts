import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { type WorkflowCredential, workflowCredentials } from './bundles.service.ts';
import { createWorkflowInput, updateWorkflowInput } from './workflows.inputs.ts';
import { workflowList } from './workflows.reads.ts';
import { createWorkflow, deleteWorkflow, rebuildWorkflow, updateWorkflow } from './workflows.service.ts';

const BundleStatus = defineEnum('BundleStatus', ['none', 'building', 'ready', 'failed'], {
  description: 'Where the build of a workflow stands. Runs start only from a bundle that is ready.',
  values: { none: 'Never built.', building: 'A build is queued or under way.' },
});

const Bundle = builder.objectRef<{
  status: 'none' | 'building' | 'ready' | 'failed';
  revision: number | null;
  error: string | null;
  builtAt: Date | null;
}>('Bundle');
Bundle.implement({
  description: 'A workflow made runnable: every node resolved to a version and its code.',
  fields: (t) => ({
    status: t.expose('status', { type: BundleStatus }),
    revision: t.exposeInt('revision', {
      nullable: true,
      description: 'The revision it was built from; null before the first build.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the build failed, at the node or setting it names; null unless it failed.',
    }),
    builtAt: t.expose('builtAt', {
      type: 'DateTime',
      description: 'When the last build ended; null before the first.',
      nullable: true,
    }),
  }),
});

export const loadCredential = createFieldLoader(async (context, ids: string[], query: object) => {
  const { db, tenantId } = inTenant(context);
  const found = await db.credential.findMany({ ...query, where: { tenantId, id: { in: ids.map(BigInt) } } });
  return new Map(found.map((credential) => [String(credential.id), credential]));
});

const WorkflowCredentialRef = builder.objectRef<WorkflowCredential>('WorkflowCredential').implement({
  description: 'A credential that a node of the workflow names in its config.',
  fields: (t) => ({
    nodeId: t.exposeString('nodeId', { description: 'Inside a loop, the path of ids: `each/send`.' }),
    field: t.exposeString('field', { description: 'Key of the config field that names it.' }),
    credentialId: t.field({
      type: 'Long',
      description: 'The `databaseId` that the config names, also of a credential that was deleted.',
      resolve: ({ credentialId }) => Number(credentialId),
    }),
    credentialTypeSlug: t.exposeString('credentialTypeSlug', {
      nullable: true,
      description: 'Null where the credential was deleted and its field takes several types.',
    }),
    credential: t.prismaField({
      type: 'Credential',
      nullable: true,
      description: 'Null where it has been deleted.',
      resolve: async (query, { credentialId }, _args, context, info) =>
        (await loadCredential(context, info, credentialId, { ...query })) as never,
    }),
  }),
});

const WorkflowPermissions = permissionsType('WorkflowPermissions', {
  update: 'updateWorkflow',
  delete: 'deleteWorkflow',
  build: 'buildWorkflow',
  fire: 'startRun',
  restore: 'restoreWorkflowRevision',
  saveDraft: 'saveWorkflowDraft',
  publish: 'publishWorkflow',
  discardDraft: 'discardWorkflowDraft',
  upgradeNodes: 'upgradeNodes',
  createTrigger: 'createTrigger',
});

export const WorkflowRef = builder.prismaNode('Workflow', {
  description: 'A graph of nodes that its triggers run.',
  id: { resolve: (workflow) => String(workflow.id) },
  findUnique: (id, context) => ({
    tenantId_id: tenantKey(context, 'Workflow', id),
    deletedAt: null,
  }),
  authScopes: { member: true },
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    tenantId: t.exposeString('tenantId', { description: 'The slug of its tenant.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description', {
      nullable: true,
      description: 'For people; at most 5,000 characters.',
    }),
    active: t.exposeBoolean('active', { description: 'Only an active workflow is started by its triggers.' }),
    revision: t.exposeInt('revision', { description: 'Counts changes of the blob.' }),
    version: t.exposeInt('version', { description: 'Counts every change: name, description, active or blob.' }),
    blob: t.expose('blob', {
      type: 'JSON',
      description: 'Its nodes, edges, settings and state, as the JSON Schema workflow-blob/v1 describes them.',
    }),
    bundle: t.field({
      type: Bundle,
      description: 'What its runs execute, built from the newest revision after each change of it.',
      select: { bundleStatus: true, bundleRevision: true, bundleError: true, bundleBuiltAt: true },
      resolve: (workflow) => ({
        status: workflow.bundleStatus as 'ready',
        revision: workflow.bundleRevision,
        error: workflow.bundleError,
        builtAt: workflow.bundleBuiltAt,
      }),
    }),
    credentials: t.field({
      type: [WorkflowCredentialRef],
      description: 'The credentials that its nodes name, in the order of the blob.',
      select: { blob: true },
      resolve: (workflow, _args, { automation }) => workflowCredentials(automation, workflow.tenantId, workflow.blob),
    }),
    viewerCan: t.field({ type: WorkflowPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', nullable: true, description: 'When it was deleted.' }),
  }),
});

const WorkflowFilterInput = builder.inputType('WorkflowFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the name or the description, in any case; at most 191 characters.' }),
    active: t.boolean({ description: 'True for active workflows only, false for the others.' }),
    bundleStatus: t.field({ type: [BundleStatus], description: 'Any of these; all where it is empty or left out.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
});

const WorkflowOrderInput = orderInput('Workflow', {
  of: 'workflows',
  fields: { CREATED_AT: {}, UPDATED_AT: { description: 'By the last change, a build included.' }, NAME: {} },
});

builder.queryFields((t) => ({
  workflow: t.prismaField({
    type: WorkflowRef,
    description: 'A workflow of the tenant; null where it was deleted.',
    nullable: true,
    authScopes: { member: true },
    args: {
      id: t.arg.id({ required: true }),
      includeDeleted: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Also where it was deleted: its runs and dead letters are kept until their retention ends.',
      }),
    },
    resolve: (query, _root, { id, includeDeleted }, context) => {
      const { db, tenantId } = inTenant(context);
      const where = { tenantId, id: readId('Workflow', id), ...(!includeDeleted && { deletedAt: null }) };
      return db.workflow.findFirst({ ...query, where });
    },
  }),
  workflows: t.connection(
    {
      type: WorkflowRef,
      description: 'The workflows of the tenant.',
      authScopes: { member: true },
      args: {
        filter: t.arg({ type: WorkflowFilterInput }),
        orderBy: t.arg({ type: WorkflowOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Workflow' });
        return pageInOrder(workflowList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) =>
            db.workflow.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) }, deletedAt: null } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(WorkflowRef),
  ),
}));

builder.relayMutationField(
  'createWorkflow',
  mutationInput(createWorkflowInput),
  {
    description: 'Makes a workflow and begins to build it.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      workflow: await createWorkflow(context.automation, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ workflow: t.field({ type: WorkflowRef, resolve: ({ workflow }) => workflow }) }) },
);

builder.relayMutationField(
  'updateWorkflow',
  mutationInput(updateWorkflowInput, idField),
  {
    description: 'Changes what is given and leaves the rest. A changed blob makes a new revision and is built.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      workflow: await updateWorkflow(context.automation, inTenant(context).actor, readId('Workflow', id), changes),
    }),
  },
  { outputFields: (t) => ({ workflow: t.field({ type: WorkflowRef, resolve: ({ workflow }) => workflow }) }) },
);

builder.relayMutationField(
  'deleteWorkflow',
  { inputFields: idField },
  {
    description:
      'Deletes a workflow and its triggers, and asks its runs to stop. Its history can be read until retention deletes it.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const { automation, actor } = inTenant(context);
      const workflowId = readId('Workflow', id);
      await deleteWorkflow(automation, actor, workflowId);
      return { deletedId: encodeGlobalID('Workflow', workflowId) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted workflow.' }),
    }),
  },
);

builder.relayMutationField(
  'buildWorkflow',
  { inputFields: idField },
  {
    description: 'Builds the newest revision again, for example after a node that it uses was registered.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      workflow: await rebuildWorkflow(context.deps, inTenant(context).actor, readId('Workflow', id)),
    }),
  },
  { outputFields: (t) => ({ workflow: t.field({ type: WorkflowRef, resolve: ({ workflow }) => workflow }) }) },
);
