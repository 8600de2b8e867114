import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';

/** The evaluated config of a node with a call. */
export type Values = Readonly<Record<string, unknown>>;

/** Reads the value of a field; undefined if it is null or empty text, because editors store an empty field so. */
export function readValue(values: Values, field: string): unknown {
  const value = Object.hasOwn(values, field) ? values[field] : undefined;
  return value === null || value === '' ? undefined : value;
}

export const invalid = (field: string, rule: string): NodeError =>
  new NodeError('INVALID_CONFIG', `config.${field}: ${rule}`);

/** Reads an option of the platform from the config; undefined if the API itself has a field of that name. */
export function readOption(
  call: ApiCall,
  values: Values,
  key: 'base_url' | 'all_pages' | 'max_items' | 'max_pages' | 'page_position',
): unknown {
  const isTaken = call.body?.field === key || call.parameters.some(({ field }) => field === key);
  return isTaken ? undefined : readValue(values, key);
}
