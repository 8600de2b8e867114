import type { MisfirePolicy } from '#prisma/enums.ts';
import type { Ticks } from '#src/infra/cron/ticks.ts';

/** A tick handled within this time counts as on time and fires under every policy. */
export const graceMs = 60_000;
/** The most missed ticks that `catch_up` fires: the newest. */
export const catchUpLimit = 100;

/** The outcome of a schedule's ticks from the planned one until now. Times are epoch milliseconds. */
export interface Settlement {
  /** Ascending. */
  fire: number[];
  /** Skipped ticks, as a half-open interval; null for none. */
  skipped: { from: number; until: number } | null;
  /** The first tick after now; null when there is none. */
  next: number | null;
}

/** Settles every tick from `planned`, which is a due tick, until `now`. */
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

/** Settles the ticks from `planned` to before `end`. */
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
