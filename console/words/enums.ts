import { germanEnums } from './enums.de.ts';
import { language } from './language.ts';

const acronyms = /\b(api|csv|hmac|json|ndjson|xml|xlsx)\b/g;

/** A value of an enum of the graph in words: `PARTIALLY_SHIPPED` is "Partially shipped". */
export function enumWord(value: string): string {
  const german = language === 'de' ? germanEnums[value] : undefined;
  if (german !== undefined) return german;
  const spaced = value
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(acronyms, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
