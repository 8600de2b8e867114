import { cachedTicks } from '#src/infra/cron/ticks.ts';
import type { Deps } from '#src/infra/deps.ts';
import { claimUntaken, lockDue, requestDue } from './due-polls.store.ts';
import { runPollJob } from './polls.declarations.ts';
import { pollConfig } from './polls.inputs.ts';

/** Requests the polls that are due and plans their next times, then wakes workers for all polls that wait. */
export async function startDuePolls({ database, jobs }: Pick<Deps, 'database' | 'jobs'>): Promise<void> {
  await database.withSystem(async (tx) => {
    const due = await lockDue(tx);
    if (due.length === 0) return;
    await requestDue(
      tx,
      due.map(({ config, now, ...key }) => ({ ...key, nextAt: nextTime(config, now) })),
    );
  });
  const untaken = await claimUntaken(database.system);
  await jobs.insert(
    runPollJob,
    untaken.map((payload) => ({ payload })),
  );
}

/** The next time of a poll after `now`; null if there is none. */
export function nextTime(config: unknown, now: Date): Date | null {
  const { cron, timezone, interval_seconds: seconds } = pollConfig.parse(config);
  if (cron == null) return new Date(now.getTime() + (seconds ?? 0) * 1_000);
  const next = cachedTicks(cron, timezone).next(now.getTime());
  return next === undefined ? null : new Date(next);
}
