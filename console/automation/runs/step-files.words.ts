import { words } from '#console/words/words.ts';

export const stepFileWords = words({
  en: {
    files: 'Files of the outputs',
    download: (name: string) => `Download ${name}`,
    fileExpired: 'The file has expired.',
    fileFailed: 'The file could not be read. Try again.',
  },
  de: {
    files: 'Dateien der Ausgaben',
    download: (name: string) => `${name} herunterladen`,
    fileExpired: 'Die Datei ist abgelaufen.',
    fileFailed: 'Die Datei konnte nicht gelesen werden. Versuchen Sie es noch einmal.',
  },
});
