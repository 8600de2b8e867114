import { words } from '#console/words/words.ts';

const titles: Readonly<Record<string, string>> = words<Record<string, string>>({
  en: {
    overview: 'Overview',
    runs: 'Runs',
    orders: 'Orders',
    workflows: 'Workflows',
    triggers: 'Triggers',
    schedules: 'Schedules',
    templates: 'Templates',
    'node-packages': 'Nodes',
    'dead-letters': 'Dead letters',
    'error-groups': 'Errors',
    'bulk-actions': 'Bulk actions',
    imports: 'Imports',
    'import-profiles': 'Import profiles',
    'import-schedules': 'Import schedules',
    'export-schedules': 'Export schedules',
    'http-sources': 'HTTP sources',
    'sftp-accounts': 'SFTP accounts',
  },
  de: {
    overview: 'Übersicht',
    runs: 'Läufe',
    orders: 'Aufträge',
    workflows: 'Workflows',
    triggers: 'Trigger',
    schedules: 'Zeitpläne',
    templates: 'Vorlagen',
    'node-packages': 'Knoten',
    'dead-letters': 'Dead Letters',
    'error-groups': 'Fehler',
    'bulk-actions': 'Massenaktionen',
    imports: 'Importe',
    'import-profiles': 'Importprofile',
    'import-schedules': 'Importpläne',
    'export-schedules': 'Exportpläne',
    'http-sources': 'HTTP-Quellen',
    'sftp-accounts': 'SFTP-Konten',
  },
});

/** The title of a noun's list. */
export const nounTitle = (noun: string): string => titles[noun] ?? noun;
