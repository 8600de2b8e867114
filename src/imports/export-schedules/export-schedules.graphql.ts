import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { FileFormatEnum } from '#src/graphql/enums.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { connectionOf } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { exportScheduleList } from './export-schedules.reads.ts';

const reads = { member: true, scope: 'io:read' } as const;

const SchedulePermissions = permissionsType('ExportSchedulePermissions', {
  update: 'updateExportSchedule',
  delete: 'deleteExportSchedule',
  run: 'runExportSchedule',
});

export const ExportScheduleRef = builder.prismaNode('Transfer', {
  variant: 'ExportSchedule',
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'ExportSchedule', id), direction: 'export' }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description: 'A file that is exported and put to a server at the times of a cron.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id as an integer.' }),
    account: t.relation('account', { nullable: true, description: 'Where the files go.' }),
    profile: t.exposeString('profile', {
      nullable: true,
      description: 'The name of the import profile whose mapping is reversed; null: columns are named as fields.',
    }),
    target: t.exposeString('target', { nullable: true, description: 'What is exported; null: that of the profile.' }),
    format: t.field({
      type: FileFormatEnum,
      nullable: true,
      description: 'Null: that of the profile, or `CSV`.',
      select: { format: true },
      resolve: ({ format }) => format as never,
    }),
    filter: t.field({
      type: 'JSON',
      description: 'Which rows, by the values of fields.',
      select: { filter: true },
      resolve: ({ filter }) => filter,
    }),
    path: t.exposeString('path', { description: 'The directory that files are put into.' }),
    filename: t.string({
      description: 'The name of each file; `{date}`, `{time}` and `{job}` stand for those of the export.',
      select: { filename: true },
      resolve: ({ filename }) => filename ?? '',
    }),
    cron: t.exposeString('cron', { description: 'When it runs.' }),
    timezone: t.exposeString('timezone', { description: 'Of the cron.' }),
    active: t.exposeBoolean('active', { description: 'Whether it runs by itself.' }),
    nextRunAt: t.expose('nextAt', { type: 'DateTime', nullable: true, description: 'Null where it is not active.' }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime', nullable: true, description: 'When it last exported.' }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last put a file.',
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

const ExportScheduleOrderInput = orderInput('ExportSchedule', { of: 'export schedules', fields: { CREATED_AT: {} } });

builder.queryFields((t) => ({
  exportSchedule: t.prismaField({
    type: ExportScheduleRef,
    description: 'An export schedule of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('ExportSchedule', id) };
      return db.transfer.findUnique({ ...query, where: { tenantId_id: key, direction: 'export' } });
    },
  }),
  exportSchedules: t.connection(
    {
      type: ExportScheduleRef,
      description: 'The export schedules of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: ExportScheduleOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'ExportSchedule' });
        return pageInOrder(exportScheduleList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.transfer.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          idOf: ({ id }) => String(id),
        });
      },
    },
    connectionOf(ExportScheduleRef),
  ),
}));
