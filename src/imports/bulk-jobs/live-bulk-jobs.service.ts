import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { listenToRows, type LiveListDeps } from '#src/infra/live/lists/live-list-source.ts';
import { LiveList } from '#src/infra/live/lists/live-list.ts';
import { bulkJobsChannel } from './bulk-job-notices.service.ts';
import { bulkJobList } from './bulk-jobs.reads.ts';

export const openLiveBulkJobs = (deps: LiveListDeps): ImportDeps['liveBulkJobs'] =>
  new LiveList(deps, {
    table: bulkJobList.from,
    conditions: (tenantId, filter, parameters) => bulkJobList.where({ ...filter, tenantId }, parameters),
    listen: listenToRows(deps.live, bulkJobsChannel),
    async load(tenantId, ids) {
      const where = { tenantId, id: { in: ids.map(BigInt) } };
      const rows = await deps.database.reader(tenantId).bulkJob.findMany({ where });
      return new Map(rows.map((row) => [Number(row.id), row]));
    },
  });
