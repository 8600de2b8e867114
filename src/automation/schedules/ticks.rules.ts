import { wallTimesOf } from './wall-times.rules.ts';
import { firstChange, offsetAt } from './zone-clock.rules.ts';

/** The instants a cron expression names in a zone, in epoch milliseconds. Always the same ones, wherever one starts looking. */
export interface Ticks {
  /** The first one after `at`; undefined where there is none within ten years. */
  next(at: number): number | undefined;
  /** The last one before `before`, given one that is. */
  lastFrom(tick: number, before: number): number;
}

const day = 86_400_000;
const remembered = 5_000;
const known = new Map<string, Ticks>();

/**
 * Where the zone's clock is set forward, all times that are skipped are one tick, at the instant the clock goes on. Where it is
 * set back, a time that comes twice is a tick the first time. A cron of every hour or every minute counts time as it passes:
 * nothing is made up for, and it ticks in both passes.
 *
 * cron-parser reads the expression, but its `next()` does not find the ticks: it carries what it knows of a clock change from
 * call to call, so that one who starts anew inside the doubled hour gets a time twice, and it takes no shorter change than an
 * hour into account.
 *
 * Throws where the expression is none.
 */
export function ticksOf(cron: string, timezone: string): Ticks {
  const key = `${timezone} ${cron}`;
  let ticks = known.get(key);
  if (!ticks) {
    if (known.size >= remembered) known.clear();
    known.set(key, (ticks = createTicks(cron, timezone)));
  }
  return ticks;
}

function createTicks(cron: string, timezone: string): Ticks {
  const walls = wallTimesOf(cron);

  /** The wall time up to which everything has had its turn at `at`. */
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
