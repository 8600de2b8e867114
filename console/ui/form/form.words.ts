import { words } from '#console/words/words.ts';

/** Apart from the common words, because they come with the first form. */
export const formWords = words({
  en: { zone: (name: string) => `Time in ${name}.`, search: 'Search by name' },
  de: { zone: (name: string) => `Zeit in ${name}.`, search: 'Nach Namen suchen' },
});
