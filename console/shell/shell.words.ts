import { words } from '#console/words/words.ts';

export const shellWords = words({
  en: {
    places: 'Places',
    overview: 'Overview',
    settings: 'Settings',
    skip: 'Skip to the content',
    tenant: 'Tenant',
    account: 'Account',
    signOut: 'Sign out',
    language: 'Language',
    docs: 'Documentation',
    roles: (names: string) => `Roles: ${names}`,
    noPage: 'There is no such page',
    noPageHelp: 'Start at the overview, or search with Ctrl K.',
    installation: 'Installation',
    noTenant: 'Your account may enter no tenant',
    noTenantHelp: 'An administrator of your organisation has to give you one, or create the first.',
    palette: 'Go to, search, act',
    paletteHint: 'Type a page, an order number, a name …',
    unreachable: 'The server does not answer',
    unreachableHelp:
      'The console could not read how to sign in. Check the connection and whether the server runs, then reload.',
    leaves: (to: string | null) =>
      `This tenant moves to another installation, or has moved there${to === null ? '' : `: ${to}`}. It can be read here as it was, and every change is refused.`,
    arrives:
      'This tenant arrives from another installation. It is not complete yet, and until then every change is refused.',
    newer: 'The server has a newer console.',
    reload: 'Reload',
    failed: 'This part of the page has failed',
    failedHelp: 'Reload the page. If it fails again, report what is written below.',
  },
  de: {
    places: 'Bereiche',
    overview: 'Übersicht',
    settings: 'Einstellungen',
    skip: 'Zum Inhalt springen',
    tenant: 'Mandant',
    account: 'Konto',
    signOut: 'Abmelden',
    language: 'Sprache',
    docs: 'Dokumentation',
    roles: (names: string) => `Rollen: ${names}`,
    noPage: 'Diese Seite gibt es nicht',
    noPageHelp: 'Beginnen Sie bei der Übersicht, oder suchen Sie mit Strg K.',
    installation: 'Installation',
    noTenant: 'Ihr Konto darf keinen Mandanten betreten',
    noTenantHelp: 'Ein Administrator Ihrer Organisation muss Ihnen einen geben oder den ersten anlegen.',
    palette: 'Öffnen, suchen, ausführen',
    paletteHint: 'Seite, Bestellnummer, Name …',
    unreachable: 'Der Server antwortet nicht',
    unreachableHelp:
      'Die Konsole konnte nicht lesen, wie man sich anmeldet. Prüfen Sie die Verbindung und ob der Server läuft, und laden Sie neu.',
    leaves: (to: string | null) =>
      `Dieser Mandant zieht in eine andere Installation um oder ist umgezogen${to === null ? '' : `: ${to}`}. Hier ist er lesbar, wie er war, und jede Änderung wird abgelehnt.`,
    arrives:
      'Dieser Mandant kommt aus einer anderen Installation. Er ist noch nicht vollständig, und bis dahin wird jede Änderung abgelehnt.',
    newer: 'Der Server hat eine neuere Konsole.',
    reload: 'Neu laden',
    failed: 'Dieser Teil der Seite ist ausgefallen',
    failedHelp: 'Laden Sie die Seite neu. Fällt er wieder aus, melden Sie, was darunter steht.',
  },
});
