import { emptyFields } from './field-values.rules.ts';
import type { ConfigField } from './manifest.ts';
import { NodeError } from './node-error.ts';

/** Keys of the fields that a node cannot do without. */
export const requiredFieldsOf = (fields: readonly ConfigField[]): string[] =>
  fields.flatMap(({ key, required }) => (required === true ? [key] : []));

/** Throws a NodeError (INVALID_CONFIG) where an expression gave nothing for a field that must have a value. */
export function assertFilled(requiredFields: readonly string[], config: Readonly<Record<string, unknown>>): void {
  const empty = emptyFields(requiredFields, config);
  if (empty.length === 0) return;
  const places = empty.map((key) => `config.${key}`).join(', ');
  throw new NodeError('INVALID_CONFIG', `${places}: The node needs a value here, and the expression gave none.`);
}
