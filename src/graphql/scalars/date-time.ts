import { parseInstant } from '#src/infra/text/instant-text.ts';

/** Results may hold an instant as the text that the database wrote. */
export interface DateTime {
  Input: Date;
  Output: Date | string;
}

export const dateTime = {
  description: 'An ISO 8601 instant with milliseconds, in UTC.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
  parseValue: parseInstant,
};
