import { words } from '#console/words/words.ts';

const names: Readonly<Record<string, string>> = words<Record<string, string>>({
  en: {
    ',': 'Comma',
    ';': 'Semicolon',
    '\t': 'Tab',
    '|': 'Bar',
    '.': 'Point',
    '"': 'Double quotes',
    "'": 'Single quotes',
  },
  de: {
    ',': 'Komma',
    ';': 'Semikolon',
    '\t': 'Tabulator',
    '|': 'Senkrechter Strich',
    '.': 'Punkt',
    '"': 'Doppelte Anführungszeichen',
    "'": 'Einfache Anführungszeichen',
  },
});

/** A sign that separates or surrounds the values of a file, in words: alone, it can hardly be seen. */
export const signName = (sign: string): string => names[sign] ?? sign;
