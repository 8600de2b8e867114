import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { TriggerTypeEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { createTriggerInput, updateTriggerInput } from './triggers.inputs.ts';
import {
  createTrigger,
  deleteTrigger,
  type TriggerKey,
  triggersPerWorkflow,
  updateTrigger,
} from './triggers.service.ts';

const TriggerPermissions = permissionsType('TriggerPermissions', {
  update: 'updateTrigger',
  delete: 'deleteTrigger',
  fire: 'startRun',
});

const TriggerRef = builder.prismaNode('Trigger', {
  id: { resolve: (trigger) => String(trigger.id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Trigger', id) }),
  authScopes: { member: true },
  description: 'An entry point that starts a workflow.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long' }),
    workflowId: t.expose('workflowId', { type: 'Long' }),
    workflow: t.relation('workflow'),
    handle: t.exposeString('handle', { description: 'Stable for good; what webhooks and blob edges name.' }),
    type: t.expose('type', { type: TriggerTypeEnum }),
    name: t.exposeString('name'),
    config: t.expose('config', { type: 'JSON' }),
    active: t.exposeBoolean('active'),
    viewerCan: t.field({ type: TriggerPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectField('Workflow', 'triggers', (t) =>
  t.relation('triggers', { query: { orderBy: { id: 'asc' }, take: triggersPerWorkflow } }),
);

/** A workflow given beside a trigger's id must be the trigger's own. */
const keyOf = ({ id, workflowId }: { id: string; workflowId?: string | null }): TriggerKey => ({
  id: readId('Trigger', id),
  ...(workflowId != null && { workflowId: readId('Workflow', workflowId) }),
});

builder.queryField('trigger', (t) =>
  t.prismaField({
    type: TriggerRef,
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }), workflowId: t.arg.id() },
    resolve: (query, _root, args, context) => {
      const { db, tenantId } = inTenant(context);
      return db.trigger.findFirst({ ...query, where: { tenantId, ...keyOf(args) } });
    },
  }),
);

builder.relayMutationField(
  'createTrigger',
  {
    inputFields: (t) => ({
      workflowId: t.id({ required: true }),
      type: t.field({ type: TriggerTypeEnum, required: true }),
      name: t.string({ required: true }),
      config: t.field({ type: 'JSON' }),
      active: t.boolean(),
    }),
  },
  {
    extensions: takes(createTriggerInput, 'workflowId'),
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId, ...input } }, context) => ({
      trigger: await createTrigger(context.deps, inTenant(context).actor, readId('Workflow', workflowId), input),
    }),
  },
  { outputFields: (t) => ({ trigger: t.field({ type: TriggerRef, resolve: ({ trigger }) => trigger }) }) },
);

builder.relayMutationField(
  'updateTrigger',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      workflowId: t.id(),
      type: t.field({ type: TriggerTypeEnum }),
      name: t.string(),
      config: t.field({ type: 'JSON' }),
      active: t.boolean(),
    }),
  },
  {
    extensions: takes(updateTriggerInput, 'id', 'workflowId'),
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, workflowId, ...changes } }, context) => ({
      trigger: await updateTrigger(context.deps, inTenant(context).actor, keyOf({ id, workflowId }), changes),
    }),
  },
  { outputFields: (t) => ({ trigger: t.field({ type: TriggerRef, resolve: ({ trigger }) => trigger }) }) },
);

builder.relayMutationField(
  'deleteTrigger',
  { inputFields: (t) => ({ id: t.id({ required: true }), workflowId: t.id() }) },
  {
    extensions: takes(null, 'id', 'workflowId'),
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor } = inTenant(context);
      const key = keyOf(input);
      await deleteTrigger(deps, actor, key);
      return { deletedId: encodeGlobalID('Trigger', key.id) };
    },
  },
  { outputFields: (t) => ({ deletedId: t.exposeID('deletedId') }) },
);
