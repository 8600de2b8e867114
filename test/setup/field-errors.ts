/** A ValidationError's `fields` as the graph answers them. */
export type FieldErrorList = readonly { path: string; messages: string[] }[];

export const byPath = (fields: FieldErrorList): Record<string, string[]> =>
  Object.fromEntries(fields.map(({ path, messages }) => [path, messages]));
