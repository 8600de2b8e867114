import { words } from '#console/words/words.ts';

export const retentionWords = words({
  en: {
    title: 'Retention',
    hint: 'How long the history of the tenant is kept once it has ended.',
    forEver: 'For ever',
    days: (count: string) => `${count} days`,
    defaults: 'Never; these are the defaults',
    edit: 'Edit',
    editConfirm:
      'What is older than the days that you enter is deleted for good at the next sweep. An empty field keeps it for ever.',
    saved: 'The retention was changed.',
  },
  de: {
    title: 'Aufbewahrung',
    hint: 'Wie lange der Verlauf des Mandanten aufbewahrt wird, nachdem er beendet ist.',
    forEver: 'Unbegrenzt',
    days: (count: string) => `${count} Tage`,
    defaults: 'Nie; es gelten die Vorgaben',
    edit: 'Bearbeiten',
    editConfirm:
      'Was älter ist als die eingegebenen Tage, wird beim nächsten Aufräumen endgültig gelöscht. Ein leeres Feld bewahrt es unbegrenzt auf.',
    saved: 'Die Aufbewahrung wurde geändert.',
  },
});
