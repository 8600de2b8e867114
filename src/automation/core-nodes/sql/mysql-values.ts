import { exactNumber, parseExact } from '#src/infra/text/exact-numbers.ts';

const timestamp = 7;
const bigint = 8;
const datetime = 12;
const json = 245;

/** A value of MySQL as JSON: exact numbers, times in ISO 8601, bytes in base64. Decimals stay text with all their digits. */
export function readMysqlValue(type: number | undefined, value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (typeof value === 'bigint') return exactNumber(String(value));
  if (typeof value !== 'string') return value ?? null;
  switch (type) {
    case bigint:
      return exactNumber(value);
    case json:
      return parseExact(value);
    case datetime:
      return value.replace(' ', 'T');
    case timestamp:
      return `${value.replace(' ', 'T')}Z`;
    default:
      return value;
  }
}
