import { words } from '#console/words/words.ts';

const many = (count: number, one: string, more: string): string => (count === 1 ? one : `${count} ${more}`);

export const problemWords = words({
  en: {
    title: 'Problems',
    count: (count: number) => many(count, 'One problem', 'problems'),
    none: 'No problems',
    outdated: (count: number) => many(count, 'One node is out of date', 'nodes are out of date'),
    keys: 'F8 goes to the next problem, Shift+F8 to the previous one.',
    at: (number: number, count: number, message: string) => `Problem ${number} of ${count}: ${message}`,
    set: (member: string, value: string) => `Set ${member} to ${value}`,
    remove: (member: string) => `Remove ${member}`,
    removeEdge: 'Remove the edge',
    declare: (namespace: string, access: unknown) =>
      `Declare ${namespace} for ${access === 'read' ? 'reading' : 'reading and writing'}`,
    fixed: (name: string) => `Mend ${name}`,
    isStale: 'This was changed a moment ago. The problems are checked again once it is saved.',
  },
  de: {
    title: 'Probleme',
    count: (count: number) => many(count, 'Ein Problem', 'Probleme'),
    none: 'Keine Probleme',
    outdated: (count: number) => many(count, 'Ein Knoten ist veraltet', 'Knoten sind veraltet'),
    keys: 'F8 geht zum nächsten Problem, Umschalt+F8 zum vorigen.',
    at: (number: number, count: number, message: string) => `Problem ${number} von ${count}: ${message}`,
    set: (member: string, value: string) => `${member} auf ${value} setzen`,
    remove: (member: string) => `${member} entfernen`,
    removeEdge: 'Die Kante entfernen',
    declare: (namespace: string, access: unknown) =>
      `${namespace} zum ${access === 'read' ? 'Lesen' : 'Lesen und Schreiben'} anmelden`,
    fixed: (name: string) => `${name} berichtigen`,
    isStale: 'Das wurde eben geändert. Die Probleme werden neu geprüft, sobald es gespeichert ist.',
  },
});
