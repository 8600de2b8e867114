/** The JSON type of a value; `nothing` where an expression finds no value. */
export type ValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null' | 'nothing';

export function jsonType(value: unknown): ValueType {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as 'string' | 'number' | 'boolean' | 'object');
}
