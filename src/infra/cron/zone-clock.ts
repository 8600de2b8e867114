/** A change of a zone's clock. Offsets are added to UTC, in milliseconds. */
export interface ClockChange {
  /** The instant, in epoch milliseconds. */
  at: number;
  before: number;
  after: number;
}

interface ZoneYear {
  /** The offset at the start of the year. */
  initial: number;
  changes: ClockChange[];
}

interface Zone {
  format: Intl.DateTimeFormat;
  years: Map<number, ZoneYear>;
}

const day = 86_400_000;
// Zone names in any case are valid, so the cache needs a bound.
const rememberedZones = 700;
const rememberedYears = 60;
const zones = new Map<string, Zone>();

/** The zone's offset at an instant. */
export function offsetAt(timezone: string, at: number): number {
  const { initial, changes } = findYear(findZone(timezone), new Date(at).getUTCFullYear());
  return changes.findLast((change) => change.at <= at)?.after ?? initial;
}

/** The first change of the zone's clock in (`from`, `to`]. */
export function firstChange(timezone: string, from: number, to: number): ClockChange | undefined {
  const zone = findZone(timezone);
  const last = new Date(to).getUTCFullYear();
  for (let year = new Date(from).getUTCFullYear(); year <= last; year += 1) {
    const found = findYear(zone, year).changes.find(({ at }) => at > from);
    if (found) return found.at <= to ? found : undefined;
  }
  return undefined;
}

function findZone(timezone: string): Zone {
  let zone = zones.get(timezone);
  if (!zone) {
    if (zones.size >= rememberedZones) zones.clear();
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    const format = new Intl.DateTimeFormat('en-US', {
      ...parts,
      second: '2-digit',
      hourCycle: 'h23',
      timeZone: timezone,
    });
    zones.set(timezone, (zone = { format, years: new Map() }));
  }
  return zone;
}

/** Intl knows offsets but not when they change: this compares the ends of each day and bisects. 1 ms per year, once. */
function findYear(zone: Zone, year: number): ZoneYear {
  let known = zone.years.get(year);
  if (!known) {
    if (zone.years.size >= rememberedYears) zone.years.clear();
    const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
    const initial = readOffset(zone, start - 1_000);
    const changes: ClockChange[] = [];
    let before = initial;
    for (let from = start - 1_000; from < end - 1_000; from += day) {
      const to = Math.min(from + day, end - 1_000);
      const after = readOffset(zone, to);
      if (after !== before) changes.push({ at: halve(zone, from, to, before), before, after });
      before = after;
    }
    zone.years.set(year, (known = { initial, changes }));
  }
  return known;
}

/** The first whole second after `from` at which the offset is no longer `before`. */
function halve(zone: Zone, from: number, to: number, before: number): number {
  let [low, high] = [from, to];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (readOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function readOffset({ format }: Zone, at: number): number {
  // 03/29/2026, 03:00:00
  const [month, date, year, hour, minute, second] = format.format(at).split(/\D+/).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}
