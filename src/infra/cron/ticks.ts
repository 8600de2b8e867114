import { createWallTimes } from './wall-times.ts';
import { firstChange, offsetAt } from './zone-clock.ts';

/** The instants of a cron expression in a time zone, in epoch milliseconds. They do not depend on where a search begins. */
export interface Ticks {
  /** The first tick after `at`; undefined when there is none within ten years. */
  next(at: number): number | undefined;
  /** The last tick before `before`, given an earlier tick. */
  lastFrom(tick: number, before: number): number;
}

const day = 86_400_000;
const remembered = 5_000;
const known = new Map<string, Ticks>();

/**
 * When a zone's clock is set forward, all skipped times are one tick, at the instant of the change. When it is set back, a time that occurs
 * twice ticks the first time only. A cron of every hour or every minute follows elapsed time: it skips nothing to catch up on, and ticks in
 * both passes.
 *
 * Throws a CronFault when the expression is invalid.
 */
export function cachedTicks(cron: string, timezone: string): Ticks {
  const key = `${timezone} ${cron}`;
  let ticks = known.get(key);
  if (!ticks) {
    if (known.size >= remembered) known.clear();
    known.set(key, (ticks = createTicks(cron, timezone)));
  }
  return ticks;
}

function createTicks(cron: string, timezone: string): Ticks {
  const walls = createWallTimes(cron);

  /** The wall time up to which all times have ticked at `at`. */
  function passedAt(at: number): number {
    const wall = at + offsetAt(timezone, at);
    if (walls.isContinuous) return wall;
    const change = firstChange(timezone, at - day, at);
    return change && change.after < change.before ? Math.max(wall, change.at + change.before - 1) : wall;
  }

  function next(at: number): number | undefined {
    let from = at;
    let offset = offsetAt(timezone, at);
    let passed = passedAt(at);
    for (;;) {
      const wall = walls.next(passed);
      if (wall === undefined) return undefined;
      const change = firstChange(timezone, from, wall - offset);
      if (!change) return wall - offset;
      const isForward = change.after > change.before;
      if (isForward && !walls.isContinuous && wall < change.at + change.after) return change.at;
      from = change.at;
      offset = change.after;
      passed = change.at + (isForward || walls.isContinuous ? change.after : change.before) - 1;
    }
  }

  return {
    next,
    lastFrom(tick, before) {
      let [last, end] = [tick, before];
      while (end - last > 1_000) {
        const middle = last + Math.floor((end - last) / 2);
        const found = next(middle);
        if (found !== undefined && found < before) last = found;
        else end = middle + 1;
      }
      return last;
    },
  };
}
