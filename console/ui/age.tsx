import { useSyncExternalStore } from 'react';
import { ageText, timeText } from '#console/words/values.ts';
import { shownNow, subscribeClock } from './clock.ts';

/** How long ago an instant was; on hover the exact time, here and in UTC. */
export function Age({ at }: { at: string }) {
  const text = useSyncExternalStore(subscribeClock, () => ageText(at, shownNow()));
  return (
    <time dateTime={at} title={`${timeText(at)}\n${at}`}>
      {text}
    </time>
  );
}
