/** What JSON text holds. A number is kept as its text, so that 1.10 and a number of thirty digits are written as they were read. */
export type Json = string | boolean | null | RawNumber | Json[] | { [key: string]: Json };

/** A number that JSON.stringify writes as its text. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Functions of JavaScript that TypeScript does not know yet (JSON.parse source text access). */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source: string }) => unknown): Json;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

export const parseExactly = (text: string): Json =>
  json.parse(text, (_key, value, { source }) => (typeof value === 'number' ? json.rawJSON(source) : value));

/** True for an object with members: no text, number, list or null. */
export const isRecord = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
