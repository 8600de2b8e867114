import { useLater } from '#console/ui/use-later.ts';
import { NextTimes } from './next-times.tsx';
import { nextTimesWords as w } from './next-times.words.ts';

const typingPauseMs = 400;
const shownTimes = 3;

/** When the schedule that is being typed would fire next. */
export function TypedTimes({ cron, timezone }: { cron: string; timezone: string }) {
  const later = useLater(JSON.stringify([cron, timezone]), typingPauseMs);
  const [shownCron = '', shownZone = ''] = JSON.parse(later) as string[];
  if (shownCron === '') return null;
  return (
    <section className="field" aria-label={w.title}>
      <span className="quiet">{w.title}</span>
      <NextTimes cron={shownCron} timezone={shownZone} count={shownTimes} isTyped />
    </section>
  );
}
