import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { enumOf } from '#src/graphql/enums.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { connectionOf } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { type Afterwards, afterwards } from '#src/imports/transfers/transfers.inputs.ts';
import { readId } from '#src/infra/inputs.ts';
import { importScheduleList } from './import-schedules.reads.ts';

const reads = { member: true, scope: 'io:read' } as const;

const AfterwardsEnum = enumOf('ImportedFile', afterwards, {
  description: 'What becomes of a file once its import has ended.',
  values: {
    move: 'It is moved into `movedTo`, or into `failed` where the import failed, with the id of its job before its name.',
    delete: 'It is deleted, or moved into `failed` where the import failed.',
    leave: 'It stays.',
  },
});

const SchedulePermissions = permissionsType('ImportSchedulePermissions', {
  update: 'updateImportSchedule',
  delete: 'deleteImportSchedule',
  run: 'runImportSchedule',
});

export const ImportScheduleRef = builder.prismaNode('Transfer', {
  variant: 'ImportSchedule',
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'ImportSchedule', id), direction: 'import' }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description: 'Files that are fetched and imported at the times of a cron, each once.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id as an integer.' }),
    account: t.relation('account', { nullable: true, description: 'Where the files are; null where a source is.' }),
    source: t.relation('source', { nullable: true, description: 'What is fetched; null where there is an account.' }),
    profile: t.string({
      description: 'The name of the import profile that files are read by.',
      select: { profile: true },
      resolve: ({ profile }) => profile ?? '',
    }),
    path: t.exposeString('path', { description: 'The directory of the files.' }),
    pattern: t.string({
      description: 'Which files: `*` is any text, `?` any character.',
      select: { pattern: true },
      resolve: ({ pattern }) => pattern ?? '*',
    }),
    afterwards: t.field({
      type: AfterwardsEnum,
      description: 'What becomes of a file once its import has ended.',
      select: { afterwards: true },
      resolve: ({ afterwards: chosen }) => chosen as Afterwards,
    }),
    movedTo: t.exposeString('movedTo', { description: 'The directory that imported files are moved into.' }),
    maxFiles: t.exposeInt('maxFiles', { description: 'Files that one run fetches at most; the oldest come first.' }),
    cron: t.exposeString('cron', { description: 'When it runs.' }),
    timezone: t.exposeString('timezone', { description: 'Of the cron.' }),
    active: t.exposeBoolean('active', { description: 'Whether it runs by itself.' }),
    nextRunAt: t.expose('nextAt', { type: 'DateTime', nullable: true, description: 'Null where it is not active.' }),
    lastRunAt: t.expose('lastRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last looked for files.',
    }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last could fetch all that was there.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last run failed, and what to do; null once one has succeeded.',
    }),
    failures: t.exposeInt('failures', { description: 'Runs that failed since the last success.' }),
    viewerCan: t.field({ type: SchedulePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ImportScheduleOrderInput = orderInput('ImportSchedule', { of: 'import schedules', fields: { CREATED_AT: {} } });

builder.queryFields((t) => ({
  importSchedule: t.prismaField({
    type: ImportScheduleRef,
    description: 'An import schedule of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('ImportSchedule', id) };
      return db.transfer.findUnique({ ...query, where: { tenantId_id: key, direction: 'import' } });
    },
  }),
  importSchedules: t.connection(
    {
      type: ImportScheduleRef,
      description: 'The import schedules of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: ImportScheduleOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'ImportSchedule' });
        return pageInOrder(importScheduleList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.transfer.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          idOf: ({ id }) => String(id),
        });
      },
    },
    connectionOf(ImportScheduleRef),
  ),
}));
