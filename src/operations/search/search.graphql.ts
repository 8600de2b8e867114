import { encodeGlobalID } from '@pothos/plugin-relay';
import { findRuns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import { findOrders } from '#src/commerce/orders/orders.reads.ts';
import { assertAccess, type FieldAccess, forbidden, hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { maxResults, searchInput, type SearchKind, searchKinds } from './search.inputs.ts';
import type { SearchOutcome } from './search.reads.ts';
import { ranks, type SearchHit } from './search.rules.ts';
import { searchTenant } from './search.service.ts';

/** The access that objects of the kind require. */
export const accessOfKind: Record<SearchKind, Partial<FieldAccess>> = {
  workflow: { member: true },
  trigger: { member: true },
  run: { member: true },
  order: { member: true, scope: 'orders:read' },
  product: { member: true, scope: 'products:read' },
  customer: { member: true, scope: 'customers:read' },
  api_key: { admin: true },
};

/** The type of the objects, and that of the result which leads to one. */
export const typeOfKind: Record<SearchKind, { node: string; result: string }> = {
  workflow: { node: 'Workflow', result: 'FoundWorkflow' },
  trigger: { node: 'Trigger', result: 'FoundTrigger' },
  run: { node: 'Run', result: 'FoundRun' },
  order: { node: 'Order', result: 'FoundOrder' },
  product: { node: 'Product', result: 'FoundProduct' },
  customer: { node: 'Organization', result: 'FoundOrganization' },
  api_key: { node: 'ApiKey', result: 'FoundApiKey' },
};

const Kind = defineEnum('SearchKind', searchKinds, {
  description: 'What a search finds.',
  values: {
    workflow: 'By name.',
    trigger: 'By name or handle.',
    run: 'By id, or by the name of its workflow: its newest runs.',
    order: 'By its number, the ERP’s, the customer’s or the external key, or by its customer: the newest orders.',
    product: 'By SKU or name.',
    customer: 'Organizations, by customer number or name.',
    api_key: 'By name or by the part of the key that stands in clear. For admins.',
  },
});

const SearchResult = builder.interfaceRef<SearchHit>('SearchResult').implement({
  description: 'An object that matches a search.',
  resolveType: ({ kind }) => typeOfKind[kind].result,
  fields: (t) => ({
    kind: t.expose('kind', { type: Kind, description: 'What was found.' }),
    nodeId: t.id({
      description: 'The global id of the object, for `node(id)`.',
      resolve: ({ kind, id }) => encodeGlobalID(typeOfKind[kind].node, id),
    }),
    title: t.exposeString('title', { description: 'Its name; the number of an order, the id of a run.' }),
    subtitle: t.exposeString('subtitle', {
      description: 'What tells it from others of the same title, for people: an SKU, the name of its workflow.',
    }),
    rank: t.exposeInt('rank', {
      description: `How well it matches: ${ranks.exact} for a whole number or name, ${ranks.number} and ${ranks.name} where one begins with the text, ${ranks.word} where a word does, ${ranks.contained} where the words are contained, ${ranks.related} for runs and orders of what matches.`,
    }),
  }),
});

const found = 'Null once it has been deleted.';
const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));
const loadTrigger = createRowLoader((db, rows) => db.trigger.findMany(rows));
const loadProduct = createRowLoader((db, rows) => db.product.findMany(rows));
const loadOrganization = createRowLoader((db, rows) => db.organization.findMany(rows));
const loadApiKey = createRowLoader((db, rows) => db.apiKey.findMany(rows));
const loadRun = createFieldLoader(async (context, ids: number[]): Promise<Map<number, RunRow>> => {
  const { deps, tenantId } = inTenant(context);
  return findRuns(deps.database, tenantId, ids);
});
const loadOrder = createFieldLoader(async (context, ids: number[]) => {
  const { deps, tenantId } = inTenant(context);
  return new Map((await findOrders(deps.database, tenantId, ids)).map((order) => [order.id, order]));
});

const result = (kind: SearchKind) => builder.objectRef<SearchHit>(typeOfKind[kind].result);
const shared = { interfaces: [SearchResult] };

result('workflow').implement({
  ...shared,
  description: 'A workflow that matches a search.',
  fields: (t) => ({
    workflow: t.prismaField({
      type: 'Workflow',
      nullable: true,
      description: found,
      resolve: async (query, { id }, _args, context, info) =>
        (await loadWorkflow(context, info, BigInt(id), { ...query })) ?? null,
    }),
  }),
});

result('trigger').implement({
  ...shared,
  description: 'A trigger that matches a search.',
  fields: (t) => ({
    trigger: t.prismaField({
      type: 'Trigger',
      nullable: true,
      description: found,
      resolve: async (query, { id }, _args, context, info) =>
        (await loadTrigger(context, info, BigInt(id), { ...query })) ?? null,
    }),
  }),
});

result('run').implement({
  ...shared,
  description: 'A run that matches a search.',
  fields: (t) => ({
    run: t.field({
      type: 'Run',
      nullable: true,
      description: found,
      resolve: async ({ id }, _args, context, info) => (await loadRun(context, info, id, undefined)) ?? null,
    }),
  }),
});

result('order').implement({
  ...shared,
  description: 'An order that matches a search.',
  fields: (t) => ({
    order: t.field({
      type: 'Order',
      nullable: true,
      description: found,
      resolve: async ({ id }, _args, context, info) => (await loadOrder(context, info, id, undefined)) ?? null,
    }),
  }),
});

result('product').implement({
  ...shared,
  description: 'A product that matches a search.',
  fields: (t) => ({
    product: t.prismaField({
      type: 'Product',
      nullable: true,
      description: found,
      resolve: async (query, { id }, _args, context, info) =>
        (await loadProduct(context, info, BigInt(id), { ...query })) ?? null,
    }),
  }),
});

result('customer').implement({
  ...shared,
  description: 'A customer that matches a search.',
  fields: (t) => ({
    organization: t.prismaField({
      type: 'Organization',
      nullable: true,
      description: found,
      resolve: async (query, { id }, _args, context, info) =>
        (await loadOrganization(context, info, BigInt(id), { ...query })) ?? null,
    }),
  }),
});

result('api_key').implement({
  ...shared,
  description: 'An API key that matches a search.',
  fields: (t) => ({
    apiKey: t.prismaField({
      type: 'ApiKey',
      nullable: true,
      description: found,
      resolve: async (query, { id }, _args, context, info) =>
        (await loadApiKey(context, info, BigInt(id), { ...query })) ?? null,
    }),
  }),
});

const SearchResults = builder.objectRef<SearchOutcome>('SearchResults').implement({
  description: 'What a search found.',
  fields: (t) => ({
    results: t.expose('hits', {
      type: [SearchResult],
      description: 'The best first; of equally good ones, one of each kind in turn.',
    }),
    isPartial: t.exposeBoolean('isPartial', {
      description: 'Whether a part of the search was ended because it took too long.',
    }),
  }),
});

/** The kinds that the caller may see. Throws the access error for one that was asked for by name, and where there are none. */
function permittedKinds(asked: readonly SearchKind[] | null | undefined, context: Context) {
  const visible = searchKinds.filter((kind) => hasAccess(context, accessOfKind[kind]));
  for (const kind of asked ?? []) assertAccess(context, accessOfKind[kind]);
  if (visible.length === 0) throw forbidden(context, { member: true });
  return { visible, kinds: asked ? [...new Set(asked)] : visible };
}

builder.queryField('search', (t) =>
  t.field({
    type: SearchResults,
    authScopes: { identified: true },
    complexity: 250,
    description:
      'Finds objects of the tenant by the beginning of a name or number, in any case, and by the words that a name contains. Needs, for each kind, what reading its objects needs: a token of a member, or an API key with the scope of the kind.',
    args: {
      text: t.arg.string({ required: true, description: 'At most 191 characters; `%` and `_` match themselves.' }),
      kinds: t.arg({ type: [Kind], description: 'Left out: all that the caller may see.' }),
      first: t.arg.int({ required: true, defaultValue: 20, description: `At most this many, up to ${maxResults}.` }),
    },
    resolve: async (_root, { kinds: asked, ...input }, context) => {
      const { deps, tenantId } = inTenant(context);
      const given = parseInput(searchInput, input);
      return searchTenant(deps.database, tenantId, { ...given, ...permittedKinds(asked, context) });
    },
  }),
);
