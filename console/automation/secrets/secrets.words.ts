import { words } from '#console/words/words.ts';

export const secretWords = words({
  en: {
    search: 'Part of the key',
    use: 'In expressions',
    useHint: 'reads it. Its value is shown to nobody, not in a run and not in a log.',
    add: 'New secret',
    added: 'The secret was stored.',
    replace: 'Replace value',
    replaced: 'The secret has its new value.',
    remove: 'Delete',
    removeConfirm: (key: string) => `The secret ${key} is deleted. Expressions that read it fail from then on.`,
    removed: 'The secret was deleted.',
    empty: 'No secret yet. Add one for a value that workflows need and nobody should read, such as a token.',
  },
  de: {
    search: 'Teil des Schlüssels',
    use: 'In Ausdrücken',
    useHint: 'liest es. Seinen Wert sieht niemand, weder in einem Lauf noch in einem Protokoll.',
    add: 'Neues Geheimnis',
    added: 'Das Geheimnis wurde gespeichert.',
    replace: 'Wert ersetzen',
    replaced: 'Das Geheimnis hat seinen neuen Wert.',
    remove: 'Löschen',
    removeConfirm: (key: string) =>
      `Das Geheimnis ${key} wird gelöscht. Ausdrücke, die es lesen, schlagen danach fehl.`,
    removed: 'Das Geheimnis wurde gelöscht.',
    empty:
      'Noch kein Geheimnis. Legen Sie eines für einen Wert an, den Workflows brauchen und niemand lesen soll, etwa ein Token.',
  },
});
