import { words } from '#console/words/words.ts';

export const flowWords = words({
  en: {
    attempts: (word: string, count: string) => `${word}, ${count} attempts`,
    alsoFailed: (count: string) => `, ${count} failed`,
  },
  de: {
    attempts: (word: string, count: string) => `${word}, ${count} Versuche`,
    alsoFailed: (count: string) => `, ${count} fehlgeschlagen`,
  },
});
