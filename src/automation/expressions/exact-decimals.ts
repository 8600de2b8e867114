import { ExpressionError, tooMuch } from './expression-error.ts';

/** A decimal without any rounding: `units` divided by ten to the power of `scale`. */
interface Exact {
  units: bigint;
  scale: number;
}

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const longestText = 100;
const longestResult = 1_000;
const maxDigits = 100;

const tenTo = (power: number): bigint => 10n ** BigInt(power);

function read(value: unknown, name: string): Exact {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const [, sign, whole = '', fraction = '', power = '0'] = (text.length <= longestText && form.exec(text)) || [];
  if (sign === undefined || whole + fraction === '') {
    throw new ExpressionError('failed', `$${name} takes decimals, as numbers or as text such as "12.50".`);
  }
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(power);
  return scale < 0 ? { units: units * tenTo(-scale), scale: 0 } : { units, scale };
}

function write({ units, scale }: Exact): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  if (digits.length > longestResult) throw tooMuch(`A decimal has at most ${longestResult} digits.`);
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function digitsIn(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxDigits) return value;
  throw new ExpressionError(
    'failed',
    `$${name} takes the digits after the point as a whole number from 0 to ${maxDigits}.`,
  );
}

function aligned(a: Exact, b: Exact): [a: bigint, b: bigint, scale: number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * tenTo(scale - a.scale), b.units * tenTo(scale - b.scale), scale];
}

function plus(a: Exact, b: Exact): Exact {
  const [left, right, scale] = aligned(a, b);
  return { units: left + right, scale };
}

const negative = ({ units, scale }: Exact): Exact => ({ units: -units, scale });

/** The quotient of whole numbers, halves away from zero. */
function divided(above: bigint, below: bigint): bigint {
  const [up, down] = [above < 0n ? -above : above, below < 0n ? -below : below];
  const rounded = (2n * up + down) / (2n * down);
  return above < 0n === below < 0n ? rounded : -rounded;
}

const rounded = ({ units, scale }: Exact, digits: number): Exact => ({
  units: scale <= digits ? units * tenTo(digits - scale) : divided(units, tenTo(scale - digits)),
  scale: digits,
});

type Compute = (args: unknown[], name: string) => string | number | undefined;

const ofTwo =
  (compute: (a: Exact, b: Exact) => Exact): Compute =>
  ([a, b], name) =>
    a === undefined || b === undefined ? undefined : write(compute(read(a, name), read(b, name)));

/**
 * Arithmetic without floats, for amounts: decimals are numbers or text, results are text. Like JSONata's own functions, each returns
 * nothing when an argument is missing.
 */
export const exactDecimals: Readonly<Record<string, { arity: number; compute: Compute }>> = {
  decimalAdd: { arity: 2, compute: ofTwo(plus) },
  decimalSubtract: { arity: 2, compute: ofTwo((a, b) => plus(a, negative(b))) },
  decimalMultiply: {
    arity: 2,
    compute: ofTwo((a, b) => ({ units: a.units * b.units, scale: a.scale + b.scale })),
  },
  decimalDivide: {
    arity: 3,
    compute([a, b, digits], name) {
      if (a === undefined || b === undefined) return undefined;
      const [left, right] = [read(a, name), read(b, name)];
      if (right.units === 0n) throw new ExpressionError('failed', 'A decimal cannot be divided by zero.');
      const scale = digitsIn(digits, name);
      const above = left.units * tenTo(scale + right.scale);
      return write({ units: divided(above, right.units * tenTo(left.scale)), scale });
    },
  },
  decimalRound: {
    arity: 2,
    compute: ([a, digits], name) =>
      a === undefined ? undefined : write(rounded(read(a, name), digitsIn(digits, name))),
  },
  decimalSum: {
    arity: 1,
    compute: ([list], name) =>
      list === undefined
        ? undefined
        : write([list].flat().reduce<Exact>((sum, each) => plus(sum, read(each, name)), { units: 0n, scale: 0 })),
  },
  /** -1, 0 or 1. */
  decimalCompare: {
    arity: 2,
    compute([a, b], name) {
      if (a === undefined || b === undefined) return undefined;
      const [left, right] = aligned(read(a, name), read(b, name));
      return left < right ? -1 : left > right ? 1 : 0;
    },
  },
};
