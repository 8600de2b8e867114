import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { NextTimes } from '#console/automation/next-times.tsx';
import { nextTimesWords as w } from '#console/automation/next-times.words.ts';

const shownTimes = 3;

/** When a trigger with a schedule fires next; nothing for others. */
export function ScheduleTimes({ trigger: { type, active, config } }: { trigger: Trigger }) {
  if (type !== 'SCHEDULE' || !active) return null;
  const { cron = '', timezone = 'UTC' } = (config ?? {}) as { cron?: string; timezone?: string };
  return (
    <section aria-label={w.title}>
      <span className="quiet">{w.title}</span>
      <NextTimes cron={cron} timezone={timezone} count={shownTimes} />
    </section>
  );
}
