/**
 * True when a condition holds. These are false: null, a missing value, 0, '', 'false', empty lists and empty objects. The text 'false'
 * is false because an expression inside a longer text yields text.
 */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value.trim().toLowerCase() !== 'false';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
