/** The values of the graph's enums in German. A test finds those that are missing. */
export const germanEnums: Readonly<Record<string, string>> = {
  yes: 'Ja',
  no: 'Nein',
  QUEUED: 'Eingereiht',
  RUNNING: 'Läuft',
  WAITING: 'Wartet',
  SUCCESS: 'Erfolgreich',
  SUCCEEDED: 'Erfolgreich',
  FAILED: 'Fehlgeschlagen',
  CANCELLED: 'Abgebrochen',
};
