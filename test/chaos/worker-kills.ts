import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { TestApp } from '#test/setup/app.ts';
import type { OwnProcess } from './processes.ts';

export const recoveryLimitMs = 15_000;

export interface Kill {
  at: number;
  /** When the receiver, which shares this process, had read what the worker sent before it died. */
  readBy: number;
  /** Runs the worker held. */
  held: number;
  /** Milliseconds from the kill, or from a later change of who might take over, until each of them moved on. */
  recoveries: number[];
}

interface HeldRun {
  id: number;
  version: number;
}

export async function runsHeldBy({ database }: Pick<TestApp, 'database'>, worker: OwnProcess): Promise<HeldRun[]> {
  const { rows } = await database.system.query<HeldRun>(
    `SELECT r.id, r.version FROM runs r JOIN workers w ON w.id = r.worker_id WHERE w.pid = $1 AND r.status = 'running'`,
    [worker.pid],
  );
  return rows;
}

/**
 * Kills the worker and follows its runs until each has made progress. `lastChange` returns when another worker last became available: the
 * last kill, or the start of its replacement.
 */
export function killWorker(
  api: Pick<TestApp, 'database'>,
  worker: OwnProcess,
  lastChange: () => number,
): { at: number; done: Promise<Kill> } {
  worker.signal('SIGKILL');
  const at = Date.now();
  const follow = async (): Promise<Kill> => {
    await worker.exited;
    await delay(20);
    // However late that was, the receiver has then taken new connections and read from them.
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    const readBy = Date.now();
    const held = await runsHeldBy(api, worker);
    const open = new Map(held.map(({ id, version }) => [id, version]));
    const recoveries: number[] = [];
    while (open.size > 0 && Date.now() - lastChange() < 4 * recoveryLimitMs) {
      await delay(50);
      // Put back into the queue is not enough: a worker must have taken it.
      const { rows } = await api.database.system.query<HeldRun>(
        `SELECT id, version FROM runs WHERE id = ANY($1::bigint[]) AND status <> 'queued'`,
        [[...open.keys()]],
      );
      for (const { id, version } of rows) {
        if (version === open.get(id)) continue;
        open.delete(id);
        recoveries.push(Date.now() - lastChange());
      }
    }
    for (const _ of open) recoveries.push(Number.POSITIVE_INFINITY);
    return { at, readBy, held: held.length, recoveries };
  };
  return { at, done: follow() };
}
