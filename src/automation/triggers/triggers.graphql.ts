import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { TriggerTypeEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { createTriggerInput, updateTriggerInput } from './triggers.inputs.ts';
import { triggerList } from './triggers.reads.ts';
import { webhookUrl } from './triggers.rules.ts';
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
  poll: 'pollTriggerNow',
  rewind: 'rewindTrigger',
});

const TriggerRef = builder.prismaNode('Trigger', {
  id: { resolve: (trigger) => String(trigger.id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Trigger', id) }),
  authScopes: { member: true },
  description: 'An entry point that starts a workflow.',
  // An edge of a workflow finds its trigger by the handle.
  select: { id: true, tenantId: true, handle: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    workflowId: t.expose('workflowId', { type: 'Long', description: 'The `databaseId` of its workflow.' }),
    workflow: t.relation('workflow'),
    handle: t.exposeString('handle', { description: 'Stable for good; what webhooks and blob edges name.' }),
    url: t.string({
      nullable: true,
      description: 'The address that its sender calls; null for triggers of other types than webhook.',
      select: { type: true, handle: true },
      resolve: ({ type, handle }, _args, { deps }) => (type === 'webhook' ? webhookUrl(deps, handle) : null),
    }),
    type: t.expose('type', { type: TriggerTypeEnum, description: 'What fires it.' }),
    name: t.exposeString('name'),
    config: t.expose('config', {
      type: 'JSON',
      description:
        'By type. Webhook: `respond`, `respond_timeout_ms`, `verify`, `message`; schedule: `cron`, `timezone`, `misfire`; event: `topics`, `filter`; poll: `node`, `config`, `items`, `key`, `watermark`, `cron` or `interval_seconds`, `timezone`, `batch`.',
    }),
    active: t.exposeBoolean('active', { description: 'Only an active trigger of an active workflow fires.' }),
    viewerCan: t.field({ type: TriggerPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectField('Workflow', 'triggers', (t) =>
  t.relation('triggers', {
    description: `In the order they were made; at most ${triggersPerWorkflow}.`,
    query: { orderBy: { id: 'asc' }, take: triggersPerWorkflow },
  }),
);

/** A workflow given beside a trigger's id must be the trigger's own. */
const toTriggerKey = ({ id, workflowId }: { id: string; workflowId?: string | null }): TriggerKey => ({
  id: readId('Trigger', id),
  ...(workflowId != null && { workflowId: readId('Workflow', workflowId) }),
});

const TriggerFilterInput = builder.inputType('TriggerFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    type: t.field({ type: [TriggerTypeEnum], description: 'Any of these; all where it is empty or left out.' }),
    active: t.boolean({ description: 'True for active triggers only, false for the others.' }),
    workflowId: t.id({ description: 'Those of this workflow.' }),
    search: t.string({
      description: "Part of the name, of the workflow's name or of the handle, in any case; at most 191 characters.",
    }),
  }),
});

const TriggerOrderInput = orderInput('Trigger', {
  of: 'triggers',
  fields: { CREATED_AT: {}, UPDATED_AT: {}, NAME: {} },
});

builder.queryFields((t) => ({
  triggers: t.connection(
    {
      type: TriggerRef,
      description: 'The triggers of all workflows of the tenant.',
      authScopes: { member: true },
      args: {
        filter: t.arg({ type: TriggerFilterInput }),
        orderBy: t.arg({ type: TriggerOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Trigger' });
        const workflowId = filter?.workflowId == null ? null : readId('Workflow', filter.workflowId);
        return pageInOrder(triggerList, page, {
          filter: { ...filter, tenantId, workflowId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.trigger.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(TriggerRef),
  ),
  trigger: t.prismaField({
    type: TriggerRef,
    description: 'A trigger of the tenant.',
    nullable: true,
    authScopes: { member: true },
    args: {
      id: t.arg.id({ required: true }),
      workflowId: t.arg.id({ description: 'The workflow it must be of; the trigger of another one is null.' }),
    },
    resolve: (query, _root, args, context) => {
      const { db, tenantId } = inTenant(context);
      return db.trigger.findFirst({ ...query, where: { tenantId, ...toTriggerKey(args) } });
    },
  }),
}));

const withOwnTopics = ({ automation, ownTopics }: Context) => ({ ...automation, ownTopics });

builder.relayMutationField(
  'createTrigger',
  mutationInput(createTriggerInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description: 'Adds a trigger to a workflow.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { workflowId, ...input } }, context) => ({
      trigger: await createTrigger(
        withOwnTopics(context),
        inTenant(context).actor,
        readId('Workflow', workflowId),
        input,
      ),
    }),
  },
  { outputFields: (t) => ({ trigger: t.field({ type: TriggerRef, resolve: ({ trigger }) => trigger }) }) },
);

builder.relayMutationField(
  'updateTrigger',
  mutationInput(updateTriggerInput, (t) => ({
    id: t.id({ required: true }),
    workflowId: t.id({ description: 'The workflow it must be of; the trigger of another one is not found.' }),
  })),
  {
    description: 'Changes what is given and leaves the rest; the handle stays.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, workflowId, ...changes } }, context) => ({
      trigger: await updateTrigger(
        withOwnTopics(context),
        inTenant(context).actor,
        toTriggerKey({ id, workflowId }),
        changes,
      ),
    }),
  },
  { outputFields: (t) => ({ trigger: t.field({ type: TriggerRef, resolve: ({ trigger }) => trigger }) }) },
);

builder.relayMutationField(
  'deleteTrigger',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      workflowId: t.id({ description: 'The workflow it must be of; the trigger of another one is not found.' }),
    }),
  },
  {
    description: 'Deletes a trigger; what it started runs on.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { automation, actor } = inTenant(context);
      const key = toTriggerKey(input);
      await deleteTrigger(automation, actor, key);
      return { deletedId: encodeGlobalID('Trigger', key.id) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted trigger.' }),
    }),
  },
);
