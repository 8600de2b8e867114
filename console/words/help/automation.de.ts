/** German help texts for the forms of workflows, triggers, runs, errors and secrets. */
export const automationHelp: Readonly<Record<string, string>> = {
  'What fires it.': 'Was den Trigger auslöst.',
  'Any JSON, which the workflow sees as `trigger.payload`.':
    'Beliebiges JSON, das der Workflow als `trigger.payload` sieht.',
  'The first node to execute. Nodes before it need outputs that are pinned or reused, and are not executed.':
    'Der erste Knoten, der ausgeführt wird. Knoten davor werden nicht ausgeführt und brauchen festgehaltene oder übernommene Ausgaben.',
  'The last node to execute: it, and the nodes that lead to it.':
    'Der letzte Knoten, der ausgeführt wird: er und die Knoten, die zu ihm führen.',
  'Instead of the payload the run had.': 'Anstelle der Daten, die der Lauf hatte.',
  'Becomes the output of the step.': 'Wird die Ausgabe des Schritts.',
  'Why; kept with the revision.': 'Warum; wird mit der Revision aufbewahrt.',
  'Why; kept with the new revision.': 'Warum; wird mit der neuen Revision aufbewahrt.',
  'The number of the revision to restore.': 'Die Nummer der Revision, die wiederhergestellt wird.',
  "The workflow's.": 'Name des Workflows.',
  'Any JSON by placeholder.': 'Beliebiges JSON, nach Platzhalter.',
  'The slug of the organisation that publishes it, and owns its namespaces.':
    'Kürzel der Organisation, die das Paket veröffentlicht und der seine Namensräume gehören.',
  'An npm-pack archive: gzipped tar.': 'Ein Archiv von `npm pack`: tar, mit gzip gepackt.',
  'Empty: the expiry of its JWTs.': 'Leer: der Ablauf, den ihre JWTs nennen, falls es welche gibt.',
  'When it stops working.': 'Ab wann die Zugangsdaten nicht mehr gelten.',
  'A capital letter, then up to 127 capitals, digits and underscores: `ERP_TOKEN`.':
    'Ein Großbuchstabe, dann bis zu 127 Großbuchstaben, Ziffern und Unterstriche: `ERP_TOKEN`.',
  '1 byte to 64 KiB of UTF-8; it is stored encrypted and never answered.':
    '1 Byte bis 64 KiB in UTF-8. Der Wert wird verschlüsselt gespeichert und nie wieder ausgegeben.',
  'Any JSON, null included.': 'Beliebiges JSON, auch `null`.',
  'Failures before this instant leave it muted, the first one after it opens it. Empty: the next one does.':
    'Fehler vor diesem Zeitpunkt lassen die Gruppe stumm, der erste danach öffnet sie. Leer: Der nächste öffnet sie.',
  'Days, from 1 to 3650; empty keeps it for ever.': 'Tage, von 1 bis 3.650. Leer: unbegrenzt.',
  'How many requests a period may have.': 'Wie viele Anfragen in den Zeitraum fallen dürfen.',
  'The length of the period.': 'Die Länge des Zeitraums.',
  'How many requests may be sent at once after a pause; 1 by default, which spreads them evenly.':
    'Wie viele Anfragen nach einer Pause auf einmal gesendet werden dürfen; ohne Angabe 1, was sie gleichmäßig verteilt.',
};
