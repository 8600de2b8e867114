import { words } from '#console/words/words.ts';
import type { docsGroups } from './pages.ts';

type GroupKey = (typeof docsGroups)[number]['key'];

/** The words around the pages. The pages are in English. */
export const docsWords = words({
  en: {
    title: 'Documentation',
    contents: 'All pages',
    outline: 'On this page',
    search: 'Search the documentation',
    results: (count: number, query: string) =>
      count === 0 ? `No page has “${query}”.` : `${count === 1 ? '1 page has' : `${count} pages have`} “${query}”.`,
    noResultsHelp: 'Try fewer words, or the name of a field, a setting or an error as it is written in code.',
    section: 'Link to this section',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Not copied: select it',
    neighbours: 'Previous and next page',
    noPage: (name: string) => `There is no page “${name}”`,
    noPageHelp: 'It may have another name in this version. Search for it, or choose a page from the list.',
    table: 'Table',
    code: 'Code',
    answer: 'answer',
    variables: 'variables',
    payload: 'payload',
    result: 'result',
    group: (key: GroupKey) =>
      ({
        console: 'Watch and repair',
        workflows: 'Write workflows',
        commerce: 'Run a shop',
        connect: 'Connect a system',
        call: 'Call the API',
        extend: 'Extend it',
        operate: 'Operate the server',
        background: 'Background',
      })[key],
  },
  de: {
    title: 'Dokumentation',
    contents: 'Alle Seiten',
    outline: 'Auf dieser Seite',
    search: 'Dokumentation durchsuchen',
    results: (count: number, query: string) =>
      count === 0
        ? `Keine Seite enthält „${query}“.`
        : `${count === 1 ? '1 Seite enthält' : `${count} Seiten enthalten`} „${query}“.`,
    noResultsHelp:
      'Die Seiten sind auf Englisch. Versuchen Sie weniger Wörter, oder den Namen eines Feldes, einer Einstellung oder eines Fehlers.',
    section: 'Link zu diesem Abschnitt',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyFailed: 'Nicht kopiert: markieren',
    neighbours: 'Vorherige und nächste Seite',
    noPage: (name: string) => `Es gibt keine Seite „${name}“`,
    noPageHelp:
      'In dieser Version heißt sie vielleicht anders. Suchen Sie danach, oder wählen Sie eine Seite aus der Liste.',
    table: 'Tabelle',
    code: 'Code',
    answer: 'Antwort',
    variables: 'Variablen',
    payload: 'Payload',
    result: 'Ergebnis',
    group: (key: GroupKey) =>
      ({
        console: 'Beobachten und reparieren',
        workflows: 'Workflows schreiben',
        commerce: 'Einen Shop betreiben',
        connect: 'Ein System anbinden',
        call: 'Die API aufrufen',
        extend: 'Erweitern',
        operate: 'Den Server betreiben',
        background: 'Hintergrund',
      })[key],
  },
});
