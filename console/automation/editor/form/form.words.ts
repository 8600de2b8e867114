import { words } from '#console/words/words.ts';

export const formWords = words({
  en: {
    search: (label: string) => `Search in ${label}`,
    searchOptions: 'Search in the choices',
    asking: 'The choices are being read …',
    found: (count: number) =>
      count === 0 ? 'There is nothing to choose from.' : count === 1 ? 'One choice' : `${count} choices`,
    notAsked: (reason: string) => `The choices cannot be read: ${reason}`,
  },
  de: {
    search: (label: string) => `In ${label} suchen`,
    searchOptions: 'In der Auswahl suchen',
    asking: 'Die Auswahl wird gelesen …',
    found: (count: number) =>
      count === 0 ? 'Es gibt nichts zur Auswahl.' : count === 1 ? 'Eine Möglichkeit' : `${count} Möglichkeiten`,
    notAsked: (reason: string) => `Die Auswahl lässt sich nicht lesen: ${reason}`,
  },
});
