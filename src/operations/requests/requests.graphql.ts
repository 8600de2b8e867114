import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { findOrders } from '#src/commerce/orders/orders.reads.ts';
import { findDeliveries } from '#src/commerce/webhooks/deliveries.reads.ts';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { readRequestId, requestIdHeader } from '#src/infra/http/request-id.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { findCaused, maxCaused } from './requests.reads.ts';

const access = {
  runs: { member: true },
  orders: { member: true, scope: 'orders:read' },
  deliveries: { member: true, scope: 'webhooks:read' },
  bulkJobs: { member: true, scope: 'io:read' },
} as const;

const bounded = (what: string): string =>
  `${what}, newest first, at most ${maxCaused}. Empty for a viewer who may not see them.`;

/** What a request has caused, in the order of its ids; nothing where the viewer may not see it. What is gone is left out. */
async function listCaused<Row extends { id: number }>(
  context: Context,
  kind: 'orders' | 'runs' | 'deliveries',
  requestId: string,
  read: (database: Database, tenantId: string, ids: number[]) => Promise<Iterable<Row>>,
): Promise<Row[]> {
  if (!hasAccess(context, access[kind])) return [];
  const { deps, tenantId } = inTenant(context);
  const ids = await findCaused(deps.database, tenantId, kind, requestId);
  const byId = new Map([...(await read(deps.database, tenantId, ids))].map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const SentRequest = builder.objectRef<{ id: string }>('SentRequest').implement({
  description: 'What a request has caused, found by the id that its sender gave it in the header `X-Request-Id`.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id that the sender gave it.' }),
    orders: t.field({
      type: ['Order'],
      complexity: 10,
      description: bounded('The orders that it placed or changed; their `story` tells the rest'),
      resolve: ({ id }, _args, context) => listCaused(context, 'orders', id, findOrders),
    }),
    runs: t.field({
      type: ['Run'],
      complexity: 10,
      description: bounded('The runs that it started, and those that these started'),
      resolve: ({ id }, _args, context) =>
        listCaused(context, 'runs', id, async (...asked) => (await findRuns(...asked)).values()),
    }),
    deadLetters: t.prismaField({
      type: ['DeadLetter'],
      complexity: 10,
      description: bounded('The firings of triggers that could not start a run'),
      resolve(query, { id }, _args, context) {
        const { db, tenantId } = inTenant(context);
        const take = hasAccess(context, access.runs) ? maxCaused : 0;
        return db.deadLetter.findMany({ ...query, where: { tenantId, requestId: id }, orderBy: { id: 'desc' }, take });
      },
    }),
    webhookDeliveries: t.field({
      type: ['WebhookDelivery'],
      complexity: 10,
      description: bounded('The deliveries of the events that it caused'),
      resolve: ({ id }, _args, context) => listCaused(context, 'deliveries', id, findDeliveries),
    }),
    bulkJobs: t.prismaField({
      type: ['BulkJob'],
      complexity: 10,
      description: bounded('The imports and exports that it made'),
      resolve(query, { id }, _args, context) {
        const { db, tenantId } = inTenant(context);
        const take = hasAccess(context, access.bulkJobs) ? maxCaused : 0;
        return db.bulkJob.findMany({ ...query, where: { tenantId, requestId: id }, orderBy: { id: 'desc' }, take });
      },
    }),
  }),
});

builder.queryField('request', (t) =>
  t.field({
    type: SentRequest,
    authScopes: { member: true, scope: 'orders:read' },
    description:
      'What a request has caused, by the id that its sender gave it. Its lists are empty for an id that no request had, and for requests that caused nothing.',
    args: { requestId: t.arg.string({ required: true, description: 'As it was sent in the header `X-Request-Id`.' }) },
    resolve(_root, { requestId: id }) {
      if (readRequestId({ [requestIdHeader]: id }) === undefined)
        throw new ValidationError({
          requestId: ['Ids of requests have up to 128 letters, digits and characters of -_.:/+=@.'],
        });
      return { id };
    },
  }),
);
