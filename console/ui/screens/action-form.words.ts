import { words } from '#console/words/words.ts';

/** Apart from the common words, because they come with the first form. */
export const actionFormWords = words({
  en: { create: 'Create' },
  de: { create: 'Anlegen' },
});
