import { words } from '#console/words/words.ts';

const titles: Readonly<Record<string, string>> = words<Record<string, string>>({
  en: {
    runs: 'Runs',
  },
  de: {
    runs: 'Läufe',
  },
});

/** The title of a noun's list. */
export const nounTitle = (noun: string): string => titles[noun] ?? noun;
