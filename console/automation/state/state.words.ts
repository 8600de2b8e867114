import { words } from '#console/words/words.ts';

export const stateWords = words({
  en: {
    namespace: 'Namespace',
    entries: 'Entries',
    bytes: 'Bytes',
    key: 'Key',
    version: 'Version',
    expires: 'Expires',
    updated: 'Updated',
    value: 'Value',
    noEntries: 'The namespace holds nothing yet.',
    add: 'Add an entry',
    edit: 'Edit',
    saved: 'The entry was written.',
    remove: 'Delete',
    removeConfirm: (namespace: string, key: string) =>
      `The entry "${key}" of ${namespace} is deleted. Workflows find nothing under this key until one writes it again.`,
    removed: 'The entry was deleted.',
    empty: 'No workflow keeps anything yet. What one stores under a namespace is found here.',
  },
  de: {
    namespace: 'Namensraum',
    entries: 'Einträge',
    bytes: 'Bytes',
    key: 'Schlüssel',
    version: 'Version',
    expires: 'Läuft ab',
    updated: 'Geändert',
    value: 'Wert',
    noEntries: 'Der Namensraum ist noch leer.',
    add: 'Eintrag hinzufügen',
    edit: 'Bearbeiten',
    saved: 'Der Eintrag wurde geschrieben.',
    remove: 'Löschen',
    removeConfirm: (namespace: string, key: string) =>
      `Der Eintrag „${key}“ in ${namespace} wird gelöscht. Workflows finden unter diesem Schlüssel nichts, bis einer ihn wieder schreibt.`,
    removed: 'Der Eintrag wurde gelöscht.',
    empty: 'Noch merkt sich kein Workflow etwas. Was einer in einem Namensraum ablegt, steht hier.',
  },
});
