import { z } from 'zod';

export interface DecimalBounds {
  /** Digits before and after the point, at most. */
  whole?: number;
  fraction?: number;
  sign?: 'any' | 'not negative' | 'positive' | 'not zero';
}

const form = /^-?\d+(\.\d+)?$/;
const isZero = (text: string): boolean => /^-?0+(\.0+)?$/.test(text);
const isNegative = (text: string): boolean => text.startsWith('-') && !isZero(text);

const fits: Record<NonNullable<DecimalBounds['sign']>, (text: string) => boolean> = {
  any: () => true,
  'not negative': (text) => !isNegative(text),
  positive: (text) => !isNegative(text) && !isZero(text),
  'not zero': (text) => !isZero(text),
};
const wanted = { any: '', 'not negative': '0 or more', positive: 'more than 0', 'not zero': 'a number other than 0' };

/** A schema keeps its entry when it is described. */
const decimals = z.registry<{ isDecimal: true }>();

/**
 * An exact decimal as text, `12.50`: no exponent, no digit groups, by default at most 18 digits before and 6 after the point. It is never
 * converted to a float. Leading zeros are removed, trailing zeros are kept.
 */
export function decimal({ whole = 18, fraction = 6, sign = 'any' }: DecimalBounds = {}) {
  return z
    .string()
    .max(100, 'Use fewer digits.')
    .regex(form, { error: 'Use digits with at most one point, such as 12.50.', abort: true })
    .refine((text) => countDigits(text).whole <= whole && countDigits(text).fraction <= fraction, {
      error: `Use at most ${whole} digits before and ${fraction} after the point.`,
      abort: true,
    })
    .refine(fits[sign], `Use ${wanted[sign]}.`)
    .transform((text) => text.replace(/^-(?=0+(\.0+)?$)/, '').replace(/^(-?)0+(?=\d)/, '$1'))
    .register(decimals, { isDecimal: true });
}

/** An amount of money: at most 4 digits after the point. */
export const money = (bounds: Pick<DecimalBounds, 'sign'> = {}) => decimal({ ...bounds, fraction: 4 });

/** True if the schema is one that `decimal` made. */
export const isDecimal = (schema: z.ZodType): boolean => decimals.get(schema) !== undefined;

function countDigits(text: string): { whole: number; fraction: number } {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return { whole: whole.replace(/^0+/, '').length, fraction: fraction.length };
}
