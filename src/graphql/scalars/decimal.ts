/** An exact decimal as text. Inputs take a String, so that an invalid one is reported at its field. */
export interface Decimal {
  Input: never;
  Output: string | { toFixed(): string };
}

export const decimal = {
  description: 'An exact decimal as text without an exponent: `12.50`.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: (value: Decimal['Output']) => (typeof value === 'string' ? value : value.toFixed()),
  parseValue(): never {
    throw new TypeError('Inputs take decimals as String.');
  },
};
