import { queryFromInfo } from '@pothos/plugin-prisma';
import type { BulkJob } from '#prisma/client.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { defineListUpdate } from '#src/graphql/list-updates.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { startImportInput } from './bulk-jobs.inputs.ts';
import { bulkJobList } from './bulk-jobs.reads.ts';
import { bulkJobStatuses } from './bulk-jobs.rules.ts';
import { cancelBulkJob, startImport } from './bulk-jobs.service.ts';
import { type BulkJobChange, watchBulkJob } from './watch-bulk-job.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    BulkJob: BulkJob;
  }
}

const reads = { member: true, scope: 'io:read' } as const;
const writes = { admin: true, scope: 'io:write' } as const;

const Kind = defineEnum('BulkJobKind', ['import', 'export'], { description: 'Which way records go.' });
const Status = defineEnum('BulkJobStatus', bulkJobStatuses, {
  description: 'How far a bulk job is.',
  values: {
    queued: 'It waits for its turn: jobs of a target run one after the other.',
    completed: 'The file was read, and what is not rejected was merged.',
    failed: 'It cannot go on; `error` says why.',
    cancelled: 'What was merged before stays.',
  },
});

const BulkJobPermissions = permissionsType('BulkJobPermissions', {
  cancel: 'cancelBulkJob',
});

const BulkJobRef = builder.prismaNode('BulkJob', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'BulkJob', id) }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description:
    'A file being imported or exported. At the end, the rows that were read are those written, unchanged and rejected together.',
  select: { id: true, tenantId: true, rowsRejected: true, status: true, resultKey: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    kind: t.field({
      type: Kind,
      description: 'Which way records go.',
      select: { kind: true },
      resolve: ({ kind }) => kind as never,
    }),
    target: t.exposeString('target', { description: 'What is imported or exported.' }),
    profile: t.exposeString('profileName', {
      nullable: true,
      description: 'The name of its profile when it was started; null for an export without one.',
    }),
    status: t.field({ type: Status, select: { status: true }, resolve: ({ status }) => status as never }),
    rowsRead: t.exposeInt('rowsRead', { description: 'Rows of the file so far.' }),
    rowsWritten: t.exposeInt('rowsWritten', { description: 'Rows that changed something; of an export, all.' }),
    rowsUnchanged: t.exposeInt('rowsUnchanged', { description: 'Rows that say what was so already.' }),
    rowsRejected: t.exposeInt('rowsRejected', { description: 'Rows that were not taken; `rejectsUrl` says why.' }),
    progress: t.exposeFloat('progress', { description: '0 to 1.' }),
    rejectsUrl: t.string({
      nullable: true,
      description: 'Where what was rejected is read as CSV, for an hour and without a key; null where nothing was.',
      // Without these, the row that a mutation made would be asked: a job may have ended since, as its other fields then say.
      select: { id: true, tenantId: true, rowsRejected: true },
      resolve: ({ id, tenantId, rowsRejected }, _args, { imports }) =>
        rowsRejected > 0 ? imports.rejectLinks.sign(tenantId, id).url : null,
    }),
    downloadUrl: t.string({
      nullable: true,
      description:
        'Where the file of an export is read, for an hour and without a key; null before it is written, and a day later.',
      select: { id: true, tenantId: true, status: true, resultKey: true },
      resolve: ({ id, tenantId, status, resultKey }, _args, { imports }) =>
        status === 'completed' && resultKey !== null ? imports.exportLinks.sign(tenantId, id).url : null,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'Whether all that it does is rolled back.' }),
    viewerCan: t.field({ type: BulkJobPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker first took it up.',
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
  }),
});

const BulkJobFilterInput = builder.inputType('BulkJobFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    target: t.string({ description: 'Those of this target, e.g. `products`.' }),
    status: t.field({ type: [Status], description: 'Any of these; all where it is empty or left out.' }),
    kind: t.field({ type: Kind, description: 'Imports or exports.' }),
  }),
});

const BulkJobOrderInput = orderInput('BulkJob', { of: 'bulk jobs', fields: { CREATED_AT: {} } });

builder.queryFields((t) => ({
  bulkJob: t.prismaField({
    type: BulkJobRef,
    description: 'A bulk job of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.bulkJob.findUnique({ ...query, where: { tenantId_id: { tenantId, id: readId('BulkJob', id) } } });
    },
  }),
  bulkJobs: t.connection(
    {
      type: BulkJobRef,
      description: 'The bulk jobs of the tenant.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: BulkJobFilterInput }),
        orderBy: t.arg({ type: BulkJobOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'BulkJob' });
        return pageInOrder(bulkJobList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.bulkJob.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(BulkJobRef),
  ),
}));

builder.relayMutationField(
  'startImport',
  mutationInput(startImportInput),
  {
    description: 'Imports an uploaded file by a profile, as a job. The same upload again answers the same job.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      const bulkJob = await startImport(imports, actor, input);
      logAccepted(context, { bulkJobId: Number(bulkJob.id) });
      return { bulkJob };
    },
  },
  { outputFields: (t) => ({ bulkJob: t.field({ type: BulkJobRef, resolve: ({ bulkJob }) => bulkJob }) }) },
);

builder.relayMutationField(
  'cancelBulkJob',
  { inputFields: idField },
  {
    description: 'Cancels a job. One that runs stops soon; what it merged by then stays and is counted.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const { imports, actor } = inTenant(context);
      return { bulkJob: await cancelBulkJob(imports, actor, readId('BulkJob', id)) };
    },
  },
  { outputFields: (t) => ({ bulkJob: t.field({ type: BulkJobRef, resolve: ({ bulkJob }) => bulkJob }) }) },
);

builder.subscriptionField('bulkJobUpdated', (t) =>
  t.field({
    type: BulkJobRef,
    authScopes: reads,
    description:
      'The job as it is now, then its changes in order, and the end when it has ended. A reader that falls behind gets the latest only.',
    args: { id: t.arg.id({ description: 'The job to follow.', required: true }) },
    subscribe: async (_root, { id }, context) => {
      const { imports, tenantId } = inTenant(context);
      return new LiveStream(await watchBulkJob(imports, tenantId, readId('BulkJob', id)));
    },
    resolve: ({ job }: BulkJobChange) => job,
  }),
);

const BulkJobListUpdate = defineListUpdate(BulkJobRef);

builder.subscriptionField('bulkJobsUpdated', (t) =>
  t.field({
    type: BulkJobListUpdate,
    authScopes: reads,
    description:
      'Follows the list of bulk jobs: new ones, their changes, and jobs that no longer match. The first event is `RELOAD`.',
    args: { filter: t.arg({ type: BulkJobFilterInput, description: 'As for `bulkJobs`; left out: all.' }) },
    subscribe: (_root, { filter }, context) =>
      new LiveStream(context.imports.liveBulkJobs.follow(inTenant(context).tenantId, { ...filter })),
    resolve: (event: ListEvent<BulkJob>) => event,
  }),
);
