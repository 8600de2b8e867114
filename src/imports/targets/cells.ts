import type { z } from 'zod';

/** How the text of a cell is read. Nothing is coerced: what does not fit is a fault, a sentence that says what to use. */
export interface Cell {
  /** The value as the database casts it from text, or its fault. */
  read: (text: string, format: CellFormat) => string | Fault;
  /** The SQL type of the value. */
  type: 'text' | 'numeric' | 'boolean' | 'timestamptz';
}

export interface CellFormat {
  decimalSeparator: string;
}

export class Fault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

const holdsNul = new Fault('Text must not hold NUL characters.');
const isBroken = new Fault('The text has half of a character (an unpaired surrogate). Send the whole character.');

/** Text that the database stores as it is. It would store U+FFFD for half of a character, which escapes of JSON can write. */
const storable = (text: string): string | Fault => {
  if (!text.isWellFormed()) return isBroken;
  return text.includes('\0') ? holdsNul : text;
};

/** At most `max` characters, without the space around them, as the API takes text; `whole` keeps it. */
export const textCell = ({ max, whole = false }: { max: number; whole?: boolean }): Cell => {
  const tooLong = new Fault(`Use at most ${max} characters.`);
  return {
    type: 'text',
    read(given) {
      const text = whole ? given : given.trim();
      return text.length > max ? tooLong : storable(text);
    },
  };
};

/** Text as a schema of the API takes it: for the few rows where that may cost more. */
export const schemaCell = (schema: z.ZodType<string, string>): Cell => ({
  type: 'text',
  read(text) {
    const taken = storable(text);
    if (taken instanceof Fault) return taken;
    const { data, error } = schema.safeParse(taken);
    return data ?? new Fault(error?.issues[0]?.message ?? 'Use another value.');
  },
});

export interface DecimalCell {
  /** Digits before and after the point, at most. */
  whole?: number;
  fraction?: number;
  sign?: 'any' | 'not negative' | 'positive';
}

/** Whole numbers, nearly all that stock files hold, which no other rule refuses. */
const plainNumber = /^\d{1,15}$/;
const point = /^-?(\d+)(?:\.(\d+))?$/;
const comma = /^-?(\d+)(?:,(\d+))?$/;

/** An exact decimal: no exponent, no digit groups. */
export const decimalCell = ({ whole = 18, fraction = 6, sign = 'any' }: DecimalCell = {}): Cell => {
  const tooFine = new Fault(`Use at most ${whole} digits before and ${fraction} after the decimal separator.`);
  const signs = { any: '', 'not negative': 'Use 0 or more.', positive: 'Use more than 0.' };
  const wrongSign = new Fault(signs[sign]);
  const takesPlain = whole >= 15 && sign !== 'positive';
  const forms = {
    ',': { form: comma, fault: new Fault('Use digits with at most one comma, such as 12,50.') },
    '.': { form: point, fault: new Fault('Use digits with at most one point, such as 12.50.') },
  };
  return {
    type: 'numeric',
    read(text, { decimalSeparator }) {
      if (takesPlain && plainNumber.test(text)) return text;
      const { form, fault } = forms[decimalSeparator === ',' ? ',' : '.'];
      const match = text.length <= 100 ? form.exec(text) : null;
      if (!match) return fault;
      const [, before = '', after = ''] = match;
      if (before.length > whole && before.replace(/^0+/, '').length > whole) return tooFine;
      if (after.length > fraction) return tooFine;
      const isZero = sign !== 'any' && !/[1-9]/.test(text);
      if (sign !== 'any' && !isZero && text.startsWith('-')) return wrongSign;
      if (sign === 'positive' && isZero) return wrongSign;
      return decimalSeparator === ',' ? text.replace(',', '.') : text;
    },
  };
};

export const booleanCell: Cell = {
  type: 'boolean',
  read: (text) => (text === 'true' || text === 'false' ? text : new Fault('Use true or false.')),
};

const instant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** An instant of RFC 3339; a date alone is its beginning in UTC. */
export const instantCell: Cell = {
  type: 'timestamptz',
  read(text) {
    const at = instant.test(text) ? new Date(text) : new Date(Number.NaN);
    if (Number.isNaN(at.getTime()) || !isOfCalendar(text))
      return new Fault('Use an instant such as 2026-01-31T00:00:00Z, or a date such as 2026-01-31.');
    return at.toISOString();
  },
};

/** JavaScript takes the 30th of February for the 2nd of March. */
function isOfCalendar(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day;
}
