import { words } from '#console/words/words.ts';

export const orderNextWords = words({
  en: {
    held: (reason: string) =>
      `This order is held (${reason}). The ERP does not know of it. Release it, or cancel it; its stock stays reserved until then.`,
    notStarted: (workflow: string) =>
      `The workflow “${workflow}” could not start for this order. Repair what its dead letter says, and replay it.`,
    failed: (run: string, workflow: string) =>
      `Run ${run} of “${workflow}” failed, so the ERP may not know of this order. Repair what its error says, and rerun it.`,
    notDelivered: (destination: string) =>
      `The order did not arrive at ${destination}. Repair what the delivery says, and resend it.`,
    underWay: (destination: string) =>
      `The order has not arrived at ${destination} yet. Causeway sends it again by itself.`,
    notTaken: 'Nothing has sent this order to an ERP.',
    waiting:
      'This order was sent, and the ERP has not acknowledged it. Its status is moved by the ERP, with its API key.',
  },
  de: {
    held: (reason: string) =>
      `Dieser Auftrag ist angehalten (${reason}). Das ERP kennt ihn nicht. Geben Sie ihn frei, oder stornieren Sie ihn; bis dahin bleibt sein Bestand reserviert.`,
    notStarted: (workflow: string) =>
      `Der Workflow „${workflow}“ konnte für diesen Auftrag nicht beginnen. Beheben Sie, was sein Dead Letter nennt, und wiederholen Sie ihn.`,
    failed: (run: string, workflow: string) =>
      `Lauf ${run} von „${workflow}“ ist fehlgeschlagen; das ERP kennt diesen Auftrag also vielleicht nicht. Beheben Sie, was der Fehler nennt, und starten Sie den Lauf neu.`,
    notDelivered: (destination: string) =>
      `Der Auftrag ist nicht bei ${destination} angekommen. Beheben Sie, was die Zustellung nennt, und senden Sie sie erneut.`,
    underWay: (destination: string) =>
      `Der Auftrag ist noch nicht bei ${destination} angekommen. Causeway sendet ihn von selbst erneut.`,
    notTaken: 'Nichts hat diesen Auftrag an ein ERP gesendet.',
    waiting:
      'Dieser Auftrag wurde gesendet, und das ERP hat ihn noch nicht bestätigt. Den Status setzt das ERP mit seinem API-Schlüssel.',
  },
});
