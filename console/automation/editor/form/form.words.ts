import { words } from '#console/words/words.ts';

export const formWords = words({
  en: {
    retries: 'Try again at most',
    retriesHelp: 'Times after the first attempt. 0: not at all.',
    retryDelay: 'Wait before that, in milliseconds',
    retryDoubled:
      'Each wait is twice as long as the one before, up to five minutes unless the workflow says otherwise.',
    retryFixed: 'Each wait is as long.',
    list: 'A list, or {{ an expression }}',
    noBraces: 'An expression stands in {{ }}.',
    write: (expression: string) => `Write ${expression}`,
    atLast: 'If all attempts have failed',
    search: (label: string) => `Search in ${label}`,
    searchOptions: 'Search in the choices',
    asking: 'The choices are being read …',
    found: (count: number) =>
      count === 0 ? 'There is nothing to choose from.' : count === 1 ? 'One choice' : `${count} choices`,
    notAsked: (reason: string) => `The choices cannot be read: ${reason}`,
  },
  de: {
    retries: 'Höchstens wiederholen',
    retriesHelp: 'Male nach dem ersten Versuch. 0: gar nicht.',
    retryDelay: 'Davor warten, in Millisekunden',
    retryDoubled:
      'Jede Wartezeit ist doppelt so lang wie die vorige, bis zu fünf Minuten, wenn der Workflow nichts anderes sagt.',
    retryFixed: 'Jede Wartezeit ist gleich lang.',
    list: 'Eine Liste, oder {{ ein Ausdruck }}',
    noBraces: 'Ein Ausdruck steht in {{ }}.',
    write: (expression: string) => `${expression} schreiben`,
    atLast: 'Wenn alle Versuche gescheitert sind',
    search: (label: string) => `In ${label} suchen`,
    searchOptions: 'In der Auswahl suchen',
    asking: 'Die Auswahl wird gelesen …',
    found: (count: number) =>
      count === 0 ? 'Es gibt nichts zur Auswahl.' : count === 1 ? 'Eine Möglichkeit' : `${count} Möglichkeiten`,
    notAsked: (reason: string) => `Die Auswahl lässt sich nicht lesen: ${reason}`,
  },
});
