import { plural, words } from '#console/words/words.ts';

export const reviewWords = words({
  en: {
    waiting: (count: number, text: string) => `${text} ${plural(count, 'version waits', 'versions wait')} for a review`,
    empty: 'No tenant has registered an extension yet.',
  },
  de: {
    waiting: (count: number, text: string) =>
      `${text} ${plural(count, 'Version wartet', 'Versionen warten')} auf eine Prüfung`,
    empty: 'Noch kein Mandant hat eine Erweiterung registriert.',
  },
});
