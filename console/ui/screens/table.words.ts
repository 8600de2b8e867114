import { words } from '#console/words/words.ts';

export const tableWords = words({
  en: {
    showMore: (rows: string) => `Show ${rows} more`,
  },
  de: {
    showMore: (rows: string) => `${rows} weitere zeigen`,
  },
});
