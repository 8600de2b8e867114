import { words } from '#console/words/words.ts';

/** Words of the editor about what starts the workflow. */
export const editorTriggerWords = words({
  en: {
    add: 'Add a trigger',
    added: 'The trigger was added.',
    typeHelp: 'What starts a run.',
    none: 'Nothing starts this workflow yet.',
    config: 'Configuration',
    open: 'Open the trigger',
    openHelp: 'Its page changes it, switches it off and lists its firings.',
    start: 'Start a run',
    remove: 'Delete the trigger',
    removeConfirm: (name: string) =>
      `Deletes the trigger “${name}” now, whether or not the draft is published. This cannot be undone.`,
    removed: 'The trigger was deleted.',
    WEBHOOK:
      'Nodes read the request as `trigger.payload.body`, `trigger.payload.query`, `trigger.payload.headers` and `trigger.payload.method`.',
    SCHEDULE: 'Nodes read the time that was due as `trigger.payload.scheduled_at`.',
    EVENT: 'Nodes read what the event says as `trigger.payload.data`.',
    POLL: 'Nodes read the record that was found as `trigger.payload.record`, or several as `trigger.payload.records`.',
    MANUAL: 'Nodes read what a run is started with as `trigger.payload`.',
    revisionRuns: (revision: number) => `Revision ${revision} runs from now on, once it is built. That takes a moment.`,
    howToRun: 'How it runs now',
    runs: 'Runs of this workflow',
  },
  de: {
    add: 'Trigger hinzufügen',
    added: 'Der Trigger ist hinzugefügt.',
    typeHelp: 'Was einen Lauf startet.',
    none: 'Noch startet nichts diesen Workflow.',
    config: 'Einstellungen',
    open: 'Trigger öffnen',
    openHelp: 'Auf seiner Seite lässt er sich ändern und abschalten; sie zeigt, wann er ausgelöst hat.',
    start: 'Lauf starten',
    remove: 'Trigger löschen',
    removeConfirm: (name: string) =>
      `Löscht den Trigger „${name}“ sofort, auch ohne dass der Entwurf veröffentlicht wird. Das lässt sich nicht rückgängig machen.`,
    removed: 'Der Trigger ist gelöscht.',
    WEBHOOK:
      'Knoten lesen die Anfrage als `trigger.payload.body`, `trigger.payload.query`, `trigger.payload.headers` und `trigger.payload.method`.',
    SCHEDULE: 'Knoten lesen die fällige Zeit als `trigger.payload.scheduled_at`.',
    EVENT: 'Knoten lesen, was das Ereignis besagt, als `trigger.payload.data`.',
    POLL: 'Knoten lesen den gefundenen Datensatz als `trigger.payload.record`, mehrere als `trigger.payload.records`.',
    MANUAL: 'Knoten lesen, womit ein Lauf gestartet wird, als `trigger.payload`.',
    revisionRuns: (revision: number) =>
      `Ab jetzt läuft Revision ${revision}, sobald sie gebaut ist. Das dauert einen Moment.`,
    howToRun: 'So läuft er jetzt',
    runs: 'Läufe dieses Workflows',
  },
});
