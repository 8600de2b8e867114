import { germanEnums } from './enums.de.ts';
import { language } from './language.ts';

const acronyms = new Set(['API', 'CSV', 'HMAC', 'JSON', 'NDJSON', 'XML', 'XLSX']);

/** A value of an enum of the graph in words: `PARTIALLY_SHIPPED` is "Partially shipped". */
export function enumWord(value: string): string {
  const german = language === 'de' ? germanEnums[value] : undefined;
  if (german !== undefined) return german;
  if (acronyms.has(value)) return value;
  const spaced = value.replaceAll('_', ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
