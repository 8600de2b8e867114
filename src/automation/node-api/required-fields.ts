import { emptyFields } from './field-values.rules.ts';
import type { ConfigField } from './manifest.ts';
import { NodeError } from './node-error.ts';

/** Keys of the required fields of a node. */
export const findRequiredFields = (fields: readonly ConfigField[]): string[] =>
  fields.flatMap(({ key, required }) => (required === true ? [key] : []));

/** Throws a NodeError (INVALID_CONFIG) when an expression yielded nothing for a required field. */
export function assertFilled(requiredFields: readonly string[], config: Readonly<Record<string, unknown>>): void {
  const empty = emptyFields(requiredFields, config);
  if (empty.length === 0) return;
  const places = empty.map((key) => `config.${key}`).join(', ');
  throw new NodeError('INVALID_CONFIG', `${places}: The node needs a value here, and the expression yielded none.`);
}
