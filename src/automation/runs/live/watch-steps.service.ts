import { setTimeout as delay } from 'node:timers/promises';
import { detailLimits, stepColumns, type StepRow } from '#src/automation/runs/run-details.reads.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { LiveRunDeps } from './live-runs.service.ts';

/** A step as it was when it changed. */
export type StepChange = StepRow & Superseding;

export const stepsChannel: Channel<[tenantId: string, runId: number]> = {
  name: channels.steps,
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, runId] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(runId) ? (raw as [string, number]) : undefined;
  },
  keys: ([tenantId, runId]) => [`${tenantId}/${runId}`],
};

/** A busy run's steps are read at most this often for one reader. */
const pauseMs = 50;

/** The state of a step that was last reported. A step is reported again when it changes. */
const stepMark = ({ status, startedAt }: StepRow): string => `${status}/${startedAt}`;
const stepKey = ({ path, attempt }: StepRow): string => `${attempt}/${path}`;

// The run's status is read in the same snapshot as its steps. Steps that the reader already has are not sent by the database; it
// knows their instants in milliseconds.
const changedSql = `
  SELECT r.status AS "runStatus", ${stepColumns}
  FROM runs r LEFT JOIN LATERAL (
    SELECT * FROM steps WHERE tenant_id = r.tenant_id AND run_id = r.id ORDER BY started_at, path, attempt LIMIT ${detailLimits.steps}
  ) AS s ON NOT EXISTS (
    SELECT FROM unnest($3::text[], $4::int[], $5::text[], $6::timestamptz[]) AS known(path, attempt, status, started_at)
    WHERE known.path = s.path AND known.attempt = s.attempt AND known.status = s.status
      AND known.started_at = date_trunc('milliseconds', s.started_at)
  )
  WHERE r.tenant_id = $1 AND r.id = $2
  ORDER BY coalesce(s.completed_at, s.started_at), s.completed_at IS NULL, s.started_at, s.path, s.attempt`;

type ChangedRow = StepRow & { runStatus: string; path: string | null };

/** A run's steps: the existing ones, in the order they began, then each change, until the run has ended. */
export const watchSteps =
  ({ live, database, log, liveRuns }: LiveRunDeps, tenantId: string, runId: number): OpenLive<StepChange> =>
  (sink) => {
    const known = new Map<string, StepRow>();
    let closed = false;
    let reading = false;
    let stale = false;
    let room = true;

    function close(): void {
      closed = true;
      detachSteps();
      detachRun();
    }

    async function readChanged(): Promise<{ steps: StepRow[]; ended: boolean }> {
      const seen = [...known.values()];
      const rows = await database.tenantQuery<ChangedRow>(tenantId, {
        name: 'changed-steps',
        text: changedSql,
        values: [
          tenantId,
          runId,
          seen.map(({ path }) => path),
          seen.map(({ attempt }) => attempt),
          seen.map(({ status }) => status),
          seen.map(({ startedAt }) => startedAt),
        ],
        types: isoInstants,
      });
      const steps = rows.flatMap(({ runStatus: _runStatus, ...step }) => (step.path === null ? [] : [step]));
      // No row: the run was deleted.
      return { steps, ended: rows[0] === undefined || isTerminal(rows[0].runStatus) };
    }

    async function read(): Promise<void> {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale && room && !closed) {
        stale = false;
        const answer = await readUntilAnswered(
          readChanged,
          () => closed,
          (error) => log.warn({ err: error }, 'The steps of a watched run could not be read; retrying.'),
        );
        if (closed || !answer) break;
        for (const step of answer.steps) {
          const key = stepKey(step);
          const before = known.get(key);
          known.set(key, step);
          if (before && stepMark(before) === stepMark(step)) continue;
          room = sink.event({ ...step, supersedes: `step/${key}` });
        }
        if (answer.ended) {
          close();
          sink.end();
        } else await delay(pauseMs, undefined, { ref: false });
      }
      reading = false;
      if (stale && room && !closed) void read();
    }

    const again = (): void => void read();
    const detachSteps = live.subscribe(stepsChannel, `${tenantId}/${runId}`, { onEntry: again, onResync: again });
    const detachRun = liveRuns.feed.subscribe({ tenantId, runId }, { onChange: again, onResync: again });
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
