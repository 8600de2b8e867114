import type { LogLine } from '#src/automation/runs/logs/run-logs.reads.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { createSharedReader, readUntilAnswered, type SharedReader } from '#src/infra/live/shared-reader.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { LiveRunDeps } from './live-runs.service.ts';

const linesPerRead = 200;

export const logsChannel: Channel<[tenantId: string, runId: number]> = {
  name: channels.logs,
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, runId] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(runId) ? (raw as [string, number]) : undefined;
  },
  keys: ([tenantId, runId]) => [`${tenantId}/${runId}`],
};

interface Place {
  tenantId: string;
  runId: number;
  after: number;
}

/** The lines after a given one, and whether the run had ended before they were read, so that no more can follow. */
interface LogPage {
  lines: LogLine[];
  ended: boolean;
}

// One round trip for all concurrent readers. The run's status is read in the same snapshot as its lines.
const pageSql = `
  SELECT p.ord, r.status, l.id, l.run_id AS "runId", l.step_path AS path, l.attempt, l.level, l.message, l.at
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS p(tenant_id, run_id, after, ord)
  JOIN runs r ON r.tenant_id = p.tenant_id AND r.id = p.run_id
  LEFT JOIN LATERAL (
    SELECT * FROM run_log_lines WHERE tenant_id = p.tenant_id AND run_id = p.run_id AND id > p.after ORDER BY id LIMIT ${linesPerRead}
  ) AS l ON true
  ORDER BY p.ord, l.id`;

/** Reads the lines after a given one, for many readers in one round trip. */
export type LogReader = SharedReader<Place, LogPage>;

export const createLogReader = ({ database }: Deps): LogReader =>
  createSharedReader<Place, LogPage>({
    name: ({ tenantId, runId, after }) => `${tenantId}/${runId}/${after}`,
    maxBatch: 20,
    async read(places) {
      const { rows } = await database.system.query<LogLine & { ord: number; status: string; id: number | null }>({
        name: 'read-live-logs',
        text: pageSql,
        values: [
          places.map(({ tenantId }) => tenantId),
          places.map(({ runId }) => runId),
          places.map(({ after }) => after),
        ],
        types: isoInstants,
      });
      const byPlace = Map.groupBy(rows, ({ ord }) => ord);
      return places.map((_, index) => {
        const found = byPlace.get(index + 1) ?? [];
        const lines = found.flatMap(({ ord: _ord, status: _status, ...line }) => (line.id === null ? [] : [line]));
        // No row: the run was deleted.
        return {
          lines,
          ended: lines.length < linesPerRead && (found[0] === undefined || isTerminal(found[0].status)),
        };
      });
    },
  });

/** A run's log: the stored lines, then new ones. It ends when the run has ended and all lines were sent. */
export const watchRunLog =
  (deps: LiveRunDeps, tenantId: string, runId: number): OpenLive<LogLine> =>
  (sink) => {
    const { feed, readLog: reader } = deps.liveRuns;
    let after = 0;
    let closed = false;
    let reading = false;
    let stale = false;
    let room = true;

    function close(): void {
      closed = true;
      detachLog();
      detachRun();
    }

    async function read(): Promise<void> {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale && room && !closed) {
        stale = false;
        const page = await readUntilAnswered(
          () => reader({ tenantId, runId, after }),
          () => closed,
          (error) => deps.log.warn({ err: error }, 'a watched log could not be read'),
        );
        if (closed || !page) break;
        for (const line of page.lines) {
          after = line.id;
          room = sink.event(line);
        }
        if (page.lines.length === linesPerRead) stale = true;
        else if (page.ended) {
          close();
          sink.end();
        }
      }
      reading = false;
    }

    const again = (): void => void read();
    const detachLog = deps.live.subscribe(logsChannel, `${tenantId}/${runId}`, { onEntry: again, onResync: again });
    const detachRun = feed.subscribe(
      { tenantId, runId },
      { onChange: ({ status }) => void (isTerminal(status) && again()), onResync: again },
    );
    again();
    return {
      close,
      resume() {
        if (room) return;
        room = true;
        if (stale) again();
      },
    };
  };
