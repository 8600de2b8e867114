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
import { loginWays } from './sftp-accounts.inputs.ts';
import { sftpAccountList } from './sftp-accounts.reads.ts';

const reads = { member: true, scope: 'io:read' } as const;

const LoginBy = defineEnum('SftpLogin', loginWays, { description: 'What a user of an SFTP server logs in with.' });

const AccountPermissions = permissionsType('SftpAccountPermissions', {
  update: 'updateSftpAccount',
  delete: 'deleteSftpAccount',
});

export const SftpAccountRef = builder.prismaNode('SftpAccount', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'SftpAccount', id) }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description: 'A user of an SFTP server, where files are fetched from and put to.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id as an integer.' }),
    name: t.exposeString('name', { description: 'Unique in the tenant.' }),
    host: t.exposeString('host', { description: 'The name or address of the server.' }),
    port: t.exposeInt('port', { description: 'Of the server.' }),
    username: t.exposeString('username', { description: 'Who logs in.' }),
    loginBy: t.field({
      type: LoginBy,
      description: 'What the user logs in with; it is not shown.',
      select: { loginBy: true },
      resolve: ({ loginBy }) => loginBy as (typeof loginWays)[number],
    }),
    hostKey: t.exposeString('hostKey', { description: 'The key that the server must show: `SHA256:...`.' }),
    viewerCan: t.field({ type: AccountPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const SftpAccountOrderInput = orderInput('SftpAccount', { of: 'SFTP accounts', fields: { NAME: {}, CREATED_AT: {} } });

builder.queryFields((t) => ({
  sftpAccount: t.prismaField({
    type: SftpAccountRef,
    description: 'An SFTP account of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('SftpAccount', id) };
      return db.sftpAccount.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  sftpAccounts: t.connection(
    {
      type: SftpAccountRef,
      description: 'The SFTP accounts of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: SftpAccountOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'SftpAccount' });
        return pageInOrder(sftpAccountList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.sftpAccount.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(SftpAccountRef),
  ),
}));
