/** A whole number below 2^53. */
export interface Long {
  Input: number;
  Output: number | bigint;
}

export const long = {
  description: 'A whole number below 2^53: a database id or a count.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  serialize: (value: number | bigint) => Number(value),
  parseValue(value: unknown): number {
    if (!Number.isSafeInteger(value)) throw new TypeError('Use a whole number below 2^53.');
    return value as number;
  },
};
