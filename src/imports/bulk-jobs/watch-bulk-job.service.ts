import type { BulkJob } from '#prisma/client.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { bulkJobsChannel } from './bulk-job-notices.service.ts';
import { hasEnded } from './bulk-jobs.rules.ts';

/** A state of a job; a reader that falls behind gets the latest. */
export interface BulkJobChange {
  job: BulkJob;
  supersedes: string;
}

/** The job as it is now, then each change of it, until it has ended. Throws NotFoundError where there is none. */
export async function watchBulkJob(deps: ImportDeps, tenantId: string, id: bigint): Promise<OpenLive<BulkJobChange>> {
  const find = () => deps.database.reader(tenantId).bulkJob.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!(await find())) throw new NotFoundError();
  return (sink) => {
    let closed = false;
    let reading = false;
    let stale = false;
    function close(): void {
      closed = true;
      detach();
    }
    /** Reads the row after every notice, once for those that come while it is read. */
    async function read(): Promise<void> {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale && !closed) {
        stale = false;
        const job = await readUntilAnswered(
          find,
          () => closed,
          (error) => deps.log.warn({ err: error }, 'a watched job could not be read'),
        );
        if (closed) return;
        if (job) sink.event({ job, supersedes: `${tenantId}/${id}` });
        if (job && !hasEnded(job.status)) continue;
        close();
        sink.end();
      }
      reading = false;
    }
    const again = () => void read();
    const detach = deps.live.subscribe(bulkJobsChannel, `${tenantId}/${id}`, { onEntry: again, onResync: again });
    again();
    return { close };
  };
}
