import { words } from '#console/words/words.ts';

export const viewWords = words({
  en: {
    views: 'Views',
    save: 'Save this view',
    askName: 'A name for this view:',
    saved: 'Saved.',
    deleted: 'Deleted.',
    loading: 'Loading…',
    none: 'No view is saved. Choose a filter or an order first.',
    remove: (name: string) => `Delete “${name}”`,
  },
  de: {
    views: 'Ansichten',
    save: 'Diese Ansicht speichern',
    askName: 'Ein Name für diese Ansicht:',
    saved: 'Gespeichert.',
    deleted: 'Gelöscht.',
    loading: 'Wird geladen…',
    none: 'Keine Ansicht ist gespeichert. Wählen Sie zuerst einen Filter oder eine Ordnung.',
    remove: (name: string) => `„${name}“ löschen`,
  },
});
