import { words } from '#console/words/words.ts';

interface Run {
  id: string;
  status: string;
  at: string;
  isTest: boolean;
}

export const expressionWords = words({
  en: {
    data: 'Data of earlier steps',
    treeKeys: 'Enter puts the path into the field. Arrow keys open, close and move.',
    dataFrom: 'Data from',
    lastRun: (run: string) => `The last run ${run}`.trim(),
    olderRun: 'An older run',
    run: ({ id, status, at, isTest }: Run) => `${id}, ${status}, ${at}${isTest ? ', test' : ''}`,
    noRun: 'There is no run yet: only what the nodes declare is shown. Try the workflow to see values.',
    pastePayload: 'Paste a sample payload',
    samplePayload: 'Sample payload, as JSON',
    payloadHelp:
      'What the trigger brings; of a webhook, the body of its request. Test runs begin with it too. It stays in this tab.',
    noData: 'The data cannot be read. Choose another run.',
    searchData: 'Search names and values',
    pinned: 'pinned',
    declared: 'no data yet',
    isCut: 'Long lists and texts are cut.',
    openRun: 'See all in the run',
    expression: 'Expression',
    expressionFor: (label: string) => `Expression for ${label}`,
    notYet: (id: string) => `No value yet: ${id} has left nothing in the run that is shown. Run up to here to see one.`,
    nothing: 'No value: nothing is at this path, so the field is left out. A list is counted by $count(list).',
    itemOf: (loop: string) => `Item of ${loop}`,
    ofItems: (count: number) => `of ${count}`,
    noItems: (loop: string) => `The list of ${loop} has no items in this run.`,
    ofItem: (loop: string, item: number) => `Of item ${item} of ${loop}.`,
    ofLoop: 'Reads the item of its loop, whose value only a run shows.',
    ofPin: 'Pinned outputs count in test runs; this value is that of the run.',
    valueOf: (label: string, value: string) => `${label}: ${value}`,
  },
  de: {
    data: 'Daten früherer Schritte',
    treeKeys: 'Enter fügt den Pfad in das Feld ein. Pfeiltasten öffnen, schließen und bewegen.',
    dataFrom: 'Daten von',
    lastRun: (run: string) => `Letzter Lauf ${run}`.trim(),
    olderRun: 'Ein älterer Lauf',
    run: ({ id, status, at, isTest }: Run) => `${id}, ${status}, ${at}${isTest ? ', Test' : ''}`,
    noRun:
      'Es gibt noch keinen Lauf: Gezeigt wird, was die Knoten angeben. Probieren Sie den Workflow aus, um Werte zu sehen.',
    pastePayload: 'Eine Payload als Beispiel einfügen',
    samplePayload: 'Beispiel für die Payload, als JSON',
    payloadHelp:
      'Was der Trigger bringt; bei einem Webhook der Inhalt seiner Anfrage. Auch Testläufe beginnen damit. Es bleibt in diesem Tab.',
    noData: 'Die Daten sind nicht zu lesen. Wählen Sie einen anderen Lauf.',
    searchData: 'Namen und Werte durchsuchen',
    pinned: 'angeheftet',
    declared: 'noch keine Daten',
    isCut: 'Lange Listen und Texte sind gekürzt.',
    openRun: 'Alles im Lauf ansehen',
    expression: 'Ausdruck',
    expressionFor: (label: string) => `Ausdruck für ${label}`,
    notYet: (id: string) =>
      `Noch kein Wert: ${id} hat im gezeigten Lauf nichts hinterlassen. Führen Sie den Workflow bis hierher aus.`,
    nothing: 'Kein Wert: An diesem Pfad steht nichts, deshalb entfällt das Feld. $count(Liste) zählt eine Liste.',
    itemOf: (loop: string) => `Element von ${loop}`,
    ofItems: (count: number) => `von ${count}`,
    noItems: (loop: string) => `Die Liste von ${loop} hat in diesem Lauf keine Elemente.`,
    ofItem: (loop: string, item: number) => `Für Element ${item} von ${loop}.`,
    ofLoop: 'Liest das Element seiner Schleife, dessen Wert nur ein Lauf zeigt.',
    ofPin: 'Angeheftete Ausgaben zählen in Testläufen; dieser Wert ist der des Laufs.',
    valueOf: (label: string, value: string) => `${label}: ${value}`,
  },
});
