import { words } from '#console/words/words.ts';

export const viewWords = words({
  en: {
    views: 'Views',
    save: 'Save this view',
    askName: 'A name for this view:',
    saved: 'Saved.',
    deleted: 'Deleted.',
    remove: (name: string) => `Delete “${name}”`,
  },
  de: {
    views: 'Ansichten',
    save: 'Diese Ansicht speichern',
    askName: 'Ein Name für diese Ansicht:',
    saved: 'Gespeichert.',
    deleted: 'Gelöscht.',
    remove: (name: string) => `„${name}“ löschen`,
  },
});
