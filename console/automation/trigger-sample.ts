import { serverNow } from '#console/ui/clock.ts';

interface Trigger {
  type: 'EVENT' | 'MANUAL' | 'POLL' | 'SCHEDULE' | 'WEBHOOK';
  config: unknown;
}

/** Whether only a run tells what a trigger brings: the data of an event, the body of a request. A schedule brings its time alone. */
export const isUntold = (trigger: Trigger | undefined): boolean => trigger?.type !== 'SCHEDULE';

/** The payload that a trigger brings, with nothing of its sender in it: what somebody begins a run by hand with. */
export function samplePayload({ type, config }: Trigger): object {
  if (type === 'WEBHOOK') return { method: 'POST', query: {}, headers: {}, body: {} };
  if (type === 'EVENT') {
    const { topic, topics } = (config ?? {}) as { topic?: string; topics?: string[] };
    return { topic: topic ?? topics?.[0] ?? '', data: {} };
  }
  if (type === 'POLL') {
    const { batch = 1 } = (config ?? {}) as { batch?: number };
    return { polled_at: new Date(serverNow()).toISOString(), ...(batch === 1 ? { record: {} } : { records: [] }) };
  }
  if (type !== 'SCHEDULE') return {};
  const { cron, timezone = 'UTC' } = (config ?? {}) as { cron?: string; timezone?: string };
  const now = Math.floor(serverNow());
  const minute = now - (now % 60_000);
  return {
    scheduled_at: new Date(minute).toISOString(),
    fired_at: new Date(now).toISOString(),
    timezone,
    cron,
  };
}
