import { words } from '#console/words/words.ts';

export const lookupWords = words({
  en: {
    searching: 'Searching …',
  },
  de: {
    searching: 'Suche läuft …',
  },
});
