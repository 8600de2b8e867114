const minute = 60_000;
const start = Date.UTC(2025, 0, 1);

/** Every minute of some years as a zone's clock shows it. */
export interface ZoneMinutes {
  /** Epoch milliseconds of minute 0. */
  start: number;
  /** Minutes since 1970 on the face of the clock, as if it were UTC. */
  walls: Int32Array;
}

/**
 * Reads a zone's clock from Intl: at every midnight, and in a day at whose ends it differs from UTC by another time, at every
 * quarter of an hour. No zone has changed its clock at another time since 1972, or there and back within a day.
 */
export function readZone(timezone: string, years = 2): ZoneMinutes {
  const count = (Date.UTC(2025 + years, 0, 1) - start) / minute;
  const walls = new Int32Array(count);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  const wallAt = (n: number) => Date.parse(`${format.format(start + n * minute).replace(' ', 'T')}Z`) / minute;
  for (let day = 0; day < count; day += 1_440) {
    const isEven = wallAt(day + 1_440) === wallAt(day) + 1_440;
    const step = isEven ? 1_440 : 15;
    for (let n = day; n < day + 1_440; n += step) {
      const wall = wallAt(n);
      for (let m = 0; m < step; m += 1) walls[n + m] = wall + m;
    }
  }
  return { start, walls };
}

/** The part of a clock's minutes from `from` on, up to `to`. */
export const between = ({ start, walls }: ZoneMinutes, from: number, to: number): ZoneMinutes => ({
  start: start + from * minute,
  walls: walls.subarray(from, to),
});

/** The minutes at which the clock changes. */
export function findChanges({ walls }: ZoneMinutes): number[] {
  const changes: number[] = [];
  for (let n = 1; n < walls.length; n += 1) if (walls[n] !== (walls[n - 1] as number) + 1) changes.push(n);
  return changes;
}

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A field's values as flags; written from crontab(5), without the parser the product uses. */
function flags(field: string, min: number, max: number): Uint8Array {
  const found = new Uint8Array(max + 1);
  for (const part of field.toLowerCase().split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const number = (text: string): number => {
      if (names.includes(text)) return names.indexOf(text);
      return months.includes(text) ? months.indexOf(text) + 1 : Number(text);
    };
    const [low = '', high] = range === '*' ? [String(min), String(max)] : range.split('-');
    const end = high === undefined ? (part.includes('/') ? max : number(low)) : number(high);
    for (let value = number(low); value <= end; value += Number(step)) found[value] = 1;
  }
  return found;
}

/** The ticks of a five-field cron, minute by minute, as documented: see docs/schedules.md. */
export function* ticksByMinute(cron: string, { start: first, walls }: ZoneMinutes): Generator<number> {
  const [m = '', h = '', dom = '', mon = '', dow = ''] = cron.split(' ');
  const [minutes, hours] = [flags(m, 0, 59), flags(h, 0, 23)];
  const [days, monthFlags, weekdays] = [flags(dom, 1, 31), flags(mon, 1, 12), flags(dow, 0, 7)];
  if (weekdays[7]) weekdays[0] = 1;
  const isContinuous = !hours.includes(0) || !minutes.includes(0);
  const isDay = new Map<number, boolean>();
  const matches = (wall: number): boolean => {
    if (!minutes[wall % 60] || !hours[Math.floor(wall / 60) % 24]) return false;
    const number = Math.floor(wall / 1_440);
    let answer = isDay.get(number);
    if (answer === undefined) {
      const date = new Date(number * 86_400_000);
      const [byMonth, byWeek] = [days[date.getUTCDate()] === 1, weekdays[date.getUTCDay()] === 1];
      const either = dom !== '*' && dow !== '*' ? byMonth || byWeek : byMonth && byWeek;
      isDay.set(number, (answer = monthFlags[date.getUTCMonth() + 1] === 1 && either));
    }
    return answer;
  };
  let seen = (walls[0] ?? 0) - 1;
  for (let n = 0; n < walls.length; n += 1) {
    const wall = walls[n] as number;
    const skipped = n > 0 && wall > (walls[n - 1] as number) + 1;
    // An hour that the cron does not name holds no tick; where the clock does not change in it, its minutes need no look.
    if (!skipped && wall > seen && wall % 60 === 0 && !hours[(wall / 60) % 24] && walls[n + 59] === wall + 59) {
      seen = wall + 59;
      n += 59;
      continue;
    }
    let ticks = matches(wall) && (isContinuous || wall > seen);
    if (skipped && !isContinuous) {
      for (let missing = (walls[n - 1] as number) + 1; missing < wall && !ticks; missing += 1) {
        ticks = missing > seen && matches(missing);
      }
    }
    if (wall > seen) seen = wall;
    if (ticks) yield first + n * minute;
  }
}
