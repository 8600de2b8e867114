/** The fault of a cron expression, as a sentence for its author. */
export class CronFault extends Error {
  override readonly name = 'CronFault';
}

/** The values of one field, sorted, without duplicates. */
export interface CronField {
  values: readonly number[];
  /** True if the field restricts nothing: `*` or `?`. */
  isAny: boolean;
}

export interface CronFields {
  second: CronField;
  minute: CronField;
  hour: CronField;
  /** `isLast`: the last day of the month as well, written L. */
  monthDay: CronField & { isLast: boolean };
  month: CronField;
  /** 0 is Sunday. `last`: weekdays that count in the last week of the month, as in 5L. `nth`: only the nth of the month, as in 5#2. */
  weekday: CronField & { last: readonly number[]; nth: number | null };
}

interface Kind {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const second: Kind = { name: 'second', min: 0, max: 59 };
const minute: Kind = { name: 'minute', min: 0, max: 59 };
const hour: Kind = { name: 'hour', min: 0, max: 23 };
const monthDay: Kind = { name: 'day of month', min: 1, max: 31 };
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month: Kind = { name: 'month', min: 1, max: 12, names: months };
// Both 0 and 7 are Sunday.
const weekday: Kind = { name: 'weekday', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const shortcuts: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
};

/** Reads a cron expression of five fields, or of six with seconds first. Throws a CronFault. */
export function readCron(cron: string): CronFields {
  const text = cron.trim();
  const fields = (Object.hasOwn(shortcuts, text) ? (shortcuts[text] as string) : text).split(/\s+/);
  // Filling in missing fields would let a typo fire every minute.
  if (fields.length < 5 || fields.length > 6) {
    throw new CronFault('Write five fields (minute hour day month weekday), or six with seconds first.');
  }
  const [s, m, h, day, mon, wday] = (fields.length === 5 ? ['0', ...fields] : fields) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const found = {
    second: parseField(s, second),
    minute: parseField(m, minute),
    hour: parseField(h, hour),
    monthDay: parseMonthDay(day),
    month: parseField(mon, month),
    weekday: parseWeekday(wday),
  };
  assertDayExists(found);
  return found;
}

function parseMonthDay(text: string): CronFields['monthDay'] {
  const items = text.split(',');
  const others = items.filter((item) => item.toUpperCase() !== 'L');
  const field = others.length > 0 ? parseField(others.join(','), monthDay) : { values: [], isAny: false };
  return { ...field, isLast: others.length < items.length };
}

/** Throws if none of the months has any of the days. A cron that also names weekdays always fires. */
function assertDayExists({ monthDay: days, month: { values: inMonths }, weekday: { isAny } }: CronFields): void {
  if (days.isLast || !isAny) return;
  // 2024 is a leap year.
  const longest = Math.max(...inMonths.map((number) => new Date(Date.UTC(2024, number, 0)).getUTCDate()));
  if (days.values.every((value) => value > longest)) {
    throw new CronFault('The cron expression names a day that its month does not have.');
  }
}

function parseWeekday(text: string): CronFields['weekday'] {
  const [day = '', nth, more] = text.split('#');
  if (nth !== undefined) {
    if (!/^[1-5]$/.test(nth) || more !== undefined || /[,/*?-]/.test(day)) {
      throw new CronFault(`${quoted(text)} is not a weekday of the month; write one weekday and its number, as 5#2.`);
    }
    return { ...parseField(day, weekday), last: [], nth: Number(nth) };
  }
  const items = text.split(',');
  const last = items.filter((item) => /^[^-/*?]+L$/i.test(item));
  if (last.length === 0) return { ...parseField(text, weekday), last: [], nth: null };
  const others = items.filter((item) => !last.includes(item));
  const { values } = others.length > 0 ? parseField(others.join(','), weekday) : { values: [] };
  return { values, isAny: false, last: last.map((item) => parseValue(item.slice(0, -1), weekday) % 7), nth: null };
}

function parseField(text: string, kind: Kind): CronField {
  const values = new Set(text.split(',').flatMap((item) => parseValues(item, kind)));
  return { values: [...values].toSorted((a, b) => a - b), isAny: text === '*' || text === '?' };
}

/** The values of one item of a list: a value, a range or `*`, with or without a step. */
function parseValues(item: string, kind: Kind): number[] {
  if (item === '') throw new CronFault(`The ${kind.name} has a comma without a value beside it.`);
  const [range = '', step, more] = item.split('/');
  if (more !== undefined) throw new CronFault(`${quoted(item)} has two steps; write one, as */5.`);
  if (step !== undefined && !/^0*[1-9]\d{0,5}$/.test(step)) {
    throw new CronFault(`The step in ${quoted(item)} must be a whole number from 1, as in */5.`);
  }
  const [from, to] = parseRange(range, kind, step !== undefined);
  if (from > to) {
    const parts = `${from}-${kind === weekday ? 6 : kind.max},${to === kind.min ? '' : `${kind.min}-`}${to}`;
    throw new CronFault(`The range ${quoted(range)} runs backwards; write the ${kind.name} in two parts, as ${parts}.`);
  }
  const found: number[] = [];
  for (let value = from; value <= to; value += Number(step ?? 1)) found.push(kind === weekday ? value % 7 : value);
  return found;
}

function parseRange(range: string, kind: Kind, hasStep: boolean): [from: number, to: number] {
  if (range === '*' || range === '?') return [kind.min, kind.max];
  const [first = '', last, more] = range.split('-');
  if (more !== undefined) throw new CronFault(`${quoted(range)} is not a range; write two values, as 1-5.`);
  const from = parseValue(first, kind);
  if (last !== undefined) return [from, parseValue(last, kind)];
  return [from, hasStep ? kind.max : from];
}

function parseValue(text: string, kind: Kind): number {
  const named = kind.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + kind.min;
  if (/^H/i.test(text)) throw new CronFault('Write the times out; H is not supported.');
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) {
    const or = kind.names ? ` or ${kind.names.slice(0, 3).join(', ')} and so on` : '';
    throw new CronFault(`${quoted(text)} is not a ${kind.name}; it takes ${kind.min}-${kind.max}${or}.`);
  }
  if (value < kind.min || value > kind.max) {
    throw new CronFault(
      `The cron expression has ${value} in a field that takes ${kind.min}-${kind.max} (${kind.name}).`,
    );
  }
  return value;
}

const quoted = (text: string): string => `"${text.slice(0, 40)}"`;
