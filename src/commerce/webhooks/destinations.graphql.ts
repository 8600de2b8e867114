import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { type Backlog, countBacklog } from './deliveries.reads.ts';
import { destinationStatuses, disabledReasons } from './destinations.inputs.ts';
import { destinationList } from './destinations.reads.ts';
import { isSigned } from './destinations.rules.ts';

const reads = { member: true, scope: 'webhooks:read' } as const;

const StatusEnum = defineEnum('WebhookDestinationStatus', destinationStatuses, {
  description: 'Whether events are sent to it.',
});
const ReasonEnum = defineEnum('WebhookDisabledReason', disabledReasons, {
  description: 'Why a destination is disabled.',
  values: {
    gone: 'It answered 410.',
    failing: 'It had no success for five days.',
    manual: 'Somebody disabled it.',
  },
});
const SigningEnum = defineEnum('WebhookSigning', ['signed', 'unsigned'], {
  description: 'Whether deliveries carry signatures.',
});

const DestinationPermissions = permissionsType('WebhookDestinationPermissions', {
  update: 'updateWebhookDestination',
  delete: 'deleteWebhookDestination',
  enable: 'enableWebhookDestination',
  disable: 'disableWebhookDestination',
  rotateSecret: 'rotateWebhookSecret',
  ping: 'pingWebhookDestination',
  recover: 'recoverWebhookDestination',
});

const BacklogRef = builder.objectRef<Backlog>('WebhookBacklog').implement({
  description: 'Deliveries that have not arrived, each counted to 100,000.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Waiting for their next attempt.' }),
    failed: t.exposeInt('failed', { description: 'Given up after the last attempt.' }),
    held: t.exposeInt('held', { description: 'Not sent until somebody recovers them.' }),
    unsentSince: t.expose('unsentSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the oldest was made that failed or is held: a recovery since then sends them all. Null where there is none.',
    }),
  }),
});

export const DestinationRef = builder.prismaNode('WebhookDestination', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'WebhookDestination', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'Where events of the tenant are sent.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    name: t.exposeString('name', { description: 'Of the receiving system.' }),
    url: t.exposeString('url', { description: 'Where events are posted.' }),
    topics: t.exposeStringList('topics', { description: 'Such as `order.created`; `*` is all.' }),
    signing: t.field({
      type: SigningEnum,
      description: 'Whether deliveries carry signatures.',
      select: { signed: true, secretRef: true },
      resolve: (destination) => (isSigned(destination) ? ('signed' as const) : ('unsigned' as const)),
    }),
    secretRef: t.exposeString('secretRef', {
      nullable: true,
      description: 'The key of the tenant’s secret that signs, where it is not one of its own.',
    }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before the last rotation signs as well.',
    }),
    headerNames: t.exposeStringList('headerNames', {
      description: 'Of the headers that are sent beside ours; their values are not shown.',
    }),
    filter: t.exposeString('filter', {
      nullable: true,
      description: 'An expression over `event`; what it is not true of is not sent.',
    }),
    ratePerSecond: t.exposeInt('ratePerSecond', {
      nullable: true,
      description: 'The most deliveries a second; null: no limit.',
    }),
    concurrency: t.exposeInt('concurrency', { description: 'The most deliveries at a time.' }),
    ordered: t.exposeBoolean('ordered', {
      description: 'Whether events are sent one at a time and in order; each waits until the one before has arrived.',
    }),
    status: t.field({
      type: StatusEnum,
      description: 'Whether events are sent to it.',
      select: { status: true },
      resolve: ({ status }) => status as (typeof destinationStatuses)[number],
    }),
    disabledReason: t.field({
      type: ReasonEnum,
      nullable: true,
      description: 'Why it is disabled; null where it is not.',
      select: { disabledReason: true },
      resolve: ({ disabledReason }) => disabledReason as (typeof disabledReasons)[number] | null,
    }),
    problem: t.string({
      nullable: true,
      description:
        'Why deliveries wait or are held, such as a secret that is missing; null where there is nothing to say.',
      select: { queue: { select: { problem: true } } },
      resolve: ({ queue }) => queue?.problem ?? null,
    }),
    failingSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'The first failure since the last success. After 24 hours there is a warning, after five days the destination is disabled.',
      select: { queue: { select: { failingSince: true } } },
      resolve: ({ queue }) => queue?.failingSince ?? null,
    }),
    warnedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the event `webhook_destination.failing` warned of it.',
      select: { queue: { select: { warnedAt: true } } },
      resolve: ({ queue }) => queue?.warnedAt ?? null,
    }),
    backlog: t.field({
      type: BacklogRef,
      description: 'What has not arrived, also while a recovery goes on.',
      resolve: ({ tenantId, id }, _args, { deps }) => countBacklog(deps.database, tenantId, Number(id)),
    }),
    viewerCan: t.field({ type: DestinationPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const DestinationFilterInput = builder.inputType('WebhookDestinationFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the name or the address, in any case; at most 191 characters.' }),
    status: t.field({ type: StatusEnum, description: 'Enabled ones or disabled ones.' }),
  }),
});

const DestinationOrderInput = orderInput('WebhookDestination', {
  of: 'webhook destinations',
  fields: { CREATED_AT: {}, NAME: {} },
});

builder.queryFields((t) => ({
  webhookDestination: t.prismaField({
    type: DestinationRef,
    description: 'A webhook destination of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('WebhookDestination', id) };
      return db.webhookDestination.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  webhookDestinations: t.connection(
    {
      type: DestinationRef,
      description: 'Where events of the tenant are sent.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: DestinationFilterInput }),
        orderBy: t.arg({ type: DestinationOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'WebhookDestination' });
        return pageInOrder(destinationList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) =>
            db.webhookDestination.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(DestinationRef),
  ),
}));
