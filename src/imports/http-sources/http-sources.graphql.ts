import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { httpSourceList } from './http-sources.reads.ts';

const reads = { member: true, scope: 'io:read' } as const;

const SourcePermissions = permissionsType('HttpSourcePermissions', {
  update: 'updateHttpSource',
  delete: 'deleteHttpSource',
});

export const HttpSourceRef = builder.prismaNode('HttpSource', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'HttpSource', id) }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description: 'A file at an HTTP server, which is fetched by schedule.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id as an integer.' }),
    name: t.exposeString('name', { description: 'Unique in the tenant.' }),
    url: t.exposeString('url', { description: 'Where the file is.' }),
    headerNames: t.exposeStringList('headerNames', {
      description: 'Of the headers that are sent; their values are not shown.',
    }),
    viewerCan: t.field({ type: SourcePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const HttpSourceOrderInput = orderInput('HttpSource', { of: 'HTTP sources', fields: { NAME: {}, CREATED_AT: {} } });

builder.queryFields((t) => ({
  httpSource: t.prismaField({
    type: HttpSourceRef,
    description: 'An HTTP source of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('HttpSource', id) };
      return db.httpSource.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  httpSources: t.connection(
    {
      type: HttpSourceRef,
      description: 'The HTTP sources of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: HttpSourceOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'HttpSource' });
        return pageInOrder(httpSourceList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.httpSource.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(HttpSourceRef),
  ),
}));
