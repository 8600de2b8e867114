import type { Ticks } from './ticks.rules.ts';

/** What happens to ticks that nobody was there for. */
export type MisfirePolicy = 'skip' | 'fire_once' | 'catch_up';

/** A tick handled within this time of its own is on time and fires, whatever the policy. */
export const graceMs = 60_000;
/** `catch_up` makes up for so many ticks, the newest. */
export const catchUpLimit = 100;

/** What becomes of a schedule's ticks from the planned one until now. Times are epoch milliseconds. */
export interface Settlement {
  /** Ascending. */
  fire: number[];
  /** Ticks passed over, half open; null for none. */
  skipped: { from: number; until: number } | null;
  /** The first tick after now; null when there is none. */
  next: number | null;
}

/** Settles every tick from `planned`, which is one and is due, until `now`. */
export function settleTicks(ticks: Ticks, policy: MisfirePolicy, planned: number, now: number): Settlement {
  const late = now - graceMs;
  if (planned >= late) return { ...onTime(ticks, planned, now), skipped: null };
  const firstOnTime = ticks.next(late - 1) ?? null;
  const missed = settleMissed(ticks, policy, planned, firstOnTime ?? late);
  if (firstOnTime === null || firstOnTime > now) return { ...missed, next: firstOnTime };
  const rest = onTime(ticks, firstOnTime, now);
  return { ...missed, fire: [...missed.fire, ...rest.fire], next: rest.next };
}

function onTime(ticks: Ticks, first: number, now: number): Pick<Settlement, 'fire' | 'next'> {
  const fire: number[] = [];
  let tick: number | undefined = first;
  while (tick !== undefined && tick <= now) {
    fire.push(tick);
    tick = ticks.next(tick);
  }
  return { fire, next: tick ?? null };
}

/** Of the ticks from `planned` to before `end`. */
function settleMissed(ticks: Ticks, policy: MisfirePolicy, planned: number, end: number): Omit<Settlement, 'next'> {
  if (policy === 'skip') return { fire: [], skipped: { from: planned, until: end } };
  const limit = policy === 'fire_once' ? 1 : catchUpLimit;
  const fire: number[] = [];
  for (let before = end; fire.length < limit && before > planned;) {
    const tick = ticks.lastFrom(planned, before);
    fire.unshift(tick);
    before = tick;
  }
  const [first = end] = fire;
  return { fire, skipped: first > planned ? { from: planned, until: first } : null };
}
