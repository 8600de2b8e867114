import { words } from '#console/words/words.ts';

/** Words of the nouns around imports: profiles, schedules, sources, accounts. */
export const importWords = words({
  en: {
    newProfile: 'New profile',
    editProfile: 'Edit',
    deleteProfile: 'Delete the profile',
    deleteProfileConfirm: (name: string) =>
      `“${name}” is deleted. Import schedules that name it fail until another has its name; jobs that were started keep it.`,
    profilesEmpty: 'No profile yet. “New import” on the [imports](imports) page makes one from a file.',
    mapping: 'Mapping',
    newSchedule: 'New schedule',
    editSchedule: 'Edit',
    deleteSchedule: 'Delete the schedule',
    deleteImportScheduleConfirm: (profile: string) =>
      `The schedule that imports by “${profile}” is deleted, and what it knows of files it has fetched. Imported records stay.`,
    deleteExportScheduleConfirm: (filename: string) =>
      `The schedule that puts “${filename}” is deleted. Files on the server stay.`,
    run: 'Run now',
    runStarted: 'The schedule runs now. Its jobs appear under Imports.',
    importSchedulesEmpty:
      'No import schedule yet. Add an [SFTP account](sftp-accounts) or an [HTTP source](http-sources) and a [profile](import-profiles) first, then name them here.',
    exportSchedulesEmpty:
      'No export schedule yet. Add an [SFTP account](sftp-accounts) first, then say what to put there and when.',
    from: 'From',
    to: 'To',
    state: 'State',
    lastError: 'Last error',
    filter: 'Filter',
    newSource: 'New HTTP source',
    editSource: 'Edit',
    deleteSource: 'Delete the source',
    deleteSourceConfirm: (name: string) =>
      `“${name}” and its headers are deleted. Schedules that fetch it have to go first.`,
    sourcesEmpty: 'No HTTP source yet. Add the address of a file that a supplier offers.',
    newAccount: 'New SFTP account',
    editAccount: 'Edit',
    deleteAccount: 'Delete the account',
    deleteAccountConfirm: (name: string) =>
      `“${name}” and its login are deleted. Schedules that use it have to go first.`,
    acceptKey: 'Accept a new host key',
    acceptKeyConfirm: (key: string) =>
      `The server must show ${key} now. Enter the key that it shows from now on, as the last error of its schedules names it, once the server’s operator has confirmed it.`,
    keyAccepted: 'The new host key is pinned.',
    accountsEmpty:
      'No SFTP account yet. Leave the host key out the first time: the form then says which key the server shows.',
    added: 'Added.',
    saved: 'Saved.',
    deleted: 'Deleted.',
    runAbout: 'Looks for files now. The next time of the schedule stays as it is.',
    exportNowAbout: 'Writes and delivers the file now. The next time of the schedule stays as it is.',
  },
  de: {
    newProfile: 'Neues Profil',
    editProfile: 'Bearbeiten',
    deleteProfile: 'Profil löschen',
    deleteProfileConfirm: (name: string) =>
      `„${name}“ wird gelöscht. Importpläne, die es nennen, schlagen fehl, bis ein anderes so heißt; begonnene Vorgänge behalten es.`,
    profilesEmpty: 'Noch kein Profil. „Neuer Import“ auf der Seite [Importe](imports) macht eines aus einer Datei.',
    mapping: 'Zuordnung',
    newSchedule: 'Neuer Plan',
    editSchedule: 'Bearbeiten',
    deleteSchedule: 'Plan löschen',
    deleteImportScheduleConfirm: (profile: string) =>
      `Der Plan, der mit „${profile}“ importiert, wird gelöscht, und was er von geholten Dateien weiß. Importierte Datensätze bleiben.`,
    deleteExportScheduleConfirm: (filename: string) =>
      `Der Plan, der „${filename}“ ablegt, wird gelöscht. Dateien auf dem Server bleiben.`,
    run: 'Jetzt ausführen',
    runStarted: 'Der Plan läuft jetzt. Seine Vorgänge erscheinen unter Importe.',
    importSchedulesEmpty:
      'Noch kein Importplan. Legen Sie zuerst ein [SFTP-Konto](sftp-accounts) oder eine [HTTP-Quelle](http-sources) und ein [Profil](import-profiles) an, und nennen Sie sie dann hier.',
    exportSchedulesEmpty:
      'Noch kein Exportplan. Legen Sie zuerst ein [SFTP-Konto](sftp-accounts) an, dann hier, was wann abgelegt wird.',
    from: 'Von',
    to: 'Nach',
    state: 'Zustand',
    lastError: 'Letzter Fehler',
    filter: 'Filter',
    newSource: 'Neue HTTP-Quelle',
    editSource: 'Bearbeiten',
    deleteSource: 'Quelle löschen',
    deleteSourceConfirm: (name: string) =>
      `„${name}“ und ihre Header werden gelöscht. Pläne, die sie holen, müssen zuerst gelöscht werden.`,
    sourcesEmpty: 'Noch keine HTTP-Quelle. Tragen Sie die Adresse einer Datei ein, die ein Lieferant anbietet.',
    newAccount: 'Neues SFTP-Konto',
    editAccount: 'Bearbeiten',
    deleteAccount: 'Konto löschen',
    deleteAccountConfirm: (name: string) =>
      `„${name}“ und seine Anmeldung werden gelöscht. Pläne, die es nutzen, müssen zuerst gelöscht werden.`,
    acceptKey: 'Neuen Host-Key annehmen',
    acceptKeyConfirm: (key: string) =>
      `Der Server muss jetzt ${key} zeigen. Tragen Sie den Schlüssel ein, den er künftig zeigt, wie ihn der letzte Fehler seiner Pläne nennt, sobald der Betreiber des Servers ihn bestätigt hat.`,
    keyAccepted: 'Der neue Host-Key gilt jetzt.',
    accountsEmpty:
      'Noch kein SFTP-Konto. Lassen Sie den Host-Key beim ersten Mal weg: Das Formular sagt dann, welchen der Server zeigt.',
    added: 'Angelegt.',
    saved: 'Gespeichert.',
    deleted: 'Gelöscht.',
    runAbout: 'Sucht jetzt nach Dateien. Der nächste Termin des Zeitplans bleibt, wie er ist.',
    exportNowAbout: 'Schreibt und liefert die Datei jetzt. Der nächste Termin des Zeitplans bleibt, wie er ist.',
  },
});
