import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';

/** The evaluated config of a node with a call. */
export type Values = Readonly<Record<string, unknown>>;

/** The value of a field; undefined if it is empty, as an editor leaves a field. */
export function readValue(values: Values, field: string): unknown {
  const value = Object.hasOwn(values, field) ? values[field] : undefined;
  return value === null || value === '' ? undefined : value;
}

export const invalid = (field: string, rule: string): NodeError =>
  new NodeError('INVALID_CONFIG', `config.${field}: ${rule}`);

/** The value of a field that is an option of the platform; undefined where the API has a field of that name. */
export function readOption(
  call: ApiCall,
  values: Values,
  key: 'base_url' | 'all_pages' | 'max_items' | 'max_pages',
): unknown {
  const isTaken = call.body?.field === key || call.parameters.some(({ field }) => field === key);
  return isTaken ? undefined : readValue(values, key);
}
