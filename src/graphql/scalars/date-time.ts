import { parseInstant } from '#src/infra/instant-text.ts';

/** Results may hold an instant as the database wrote it. */
export interface DateTime {
  Input: Date;
  Output: Date | string;
}

export const dateTime = {
  description: 'An ISO 8601 instant with milliseconds, in UTC.',
  serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
  parseValue: parseInstant,
};
