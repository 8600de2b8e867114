import { words } from '#console/words/words.ts';

export const auditWords = words({
  en: {
    when: 'When',
    who: 'Who',
    user: 'User (subject of the token)',
    channel: 'By',
    action: 'Action',
    type: 'Kind of object',
    object: 'Object',
    changes: 'Details',
    empty: 'Nothing has been changed yet. Every change of settings, workflows and data is listed here.',
  },
  de: {
    when: 'Wann',
    who: 'Wer',
    user: 'Benutzer (Subject des Tokens)',
    channel: 'Über',
    action: 'Aktion',
    type: 'Art des Objekts',
    object: 'Objekt',
    changes: 'Einzelheiten',
    empty: 'Es wurde noch nichts geändert. Jede Änderung an Einstellungen, Workflows und Daten steht hier.',
  },
});
