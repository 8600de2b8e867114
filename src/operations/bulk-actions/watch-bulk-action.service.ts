import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { bulkActionsChannel } from './bulk-action-notices.service.ts';
import { type BulkActionRow, findBulkAction } from './bulk-actions.reads.ts';
import { hasEnded } from './bulk-actions.rules.ts';

/** A state of an action; a reader that falls behind gets the latest. */
export interface BulkActionChange {
  bulkAction: BulkActionRow;
  supersedes: string;
}

/** The action as it is now, then each change of it, until it has ended. Throws NotFoundError where there is none. */
export async function watchBulkAction(deps: Deps, tenantId: string, id: bigint): Promise<OpenLive<BulkActionChange>> {
  const find = () => findBulkAction(deps.database, tenantId, id);
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
        const bulkAction = await readUntilAnswered(
          find,
          () => closed,
          (error) => deps.log.warn({ err: error }, 'a watched bulk action could not be read'),
        );
        if (closed) return;
        if (bulkAction) sink.event({ bulkAction, supersedes: `${tenantId}/${id}` });
        if (bulkAction && !hasEnded(bulkAction.status)) continue;
        close();
        sink.end();
      }
      reading = false;
    }
    const again = () => void read();
    const detach = deps.live.subscribe(bulkActionsChannel, `${tenantId}/${id}`, { onEntry: again, onResync: again });
    again();
    return { close };
  };
}
