import { language } from './language.ts';

/** Loaded for those who read German alone. */
const german: Readonly<Record<string, string>> = language === 'de' ? (await import('./enums.de.ts')).germanEnums : {};

const acronyms = /\b(api|csv|hmac|json|ndjson|xml|xlsx)\b/g;

/** A value of an enum of the graph in words: `PARTIALLY_SHIPPED` is "Partially shipped". */
export function enumWord(value: string): string {
  const translated = german[value];
  if (translated !== undefined) return translated;
  const spaced = value
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(acronyms, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
