import { words } from '#console/words/words.ts';

/** Words of the commands of the canvas: find, insert into an edge, make a sub-workflow. */
export const commandWords = words({
  en: {
    find: 'Find',
    findLabel: 'Id, kind, setting or expression',
    findCount: (count: number) =>
      count === 0 ? 'Nothing found' : count === 1 ? 'One node found' : `${count} nodes found`,
    findAt: (at: number, count: number) => `${at} of ${count}`,
    findHelp: 'Enter goes to the next, Shift Enter to the one before.',
    inField: (field: string) => `in ${field}`,
    insert: 'Add a node into this edge',
    selection: (count: number) => (count === 1 ? 'One selected' : `${count} selected`),
    selectionTools: 'For what is selected',
    view: 'View of the graph',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show all',
    keys: 'Keys',
    extract: 'Make a sub-workflow',
    extracted: 'Make a sub-workflow',
    extractHelp: (count: number) =>
      count === 1
        ? 'One node becomes a workflow of its own. Here, another node runs it in its place.'
        : `${count} nodes become a workflow of their own. Here, one node runs it in their place.`,
    name: 'Name of the new workflow',
    reads: 'It is given, as its payload:',
    cannot: 'These nodes cannot become a workflow of their own:',
    made: 'The new workflow is made, and runs in place of the nodes.',
    open: 'Open it',
    expression: (id: string, field: string, source: string) =>
      `${id} reads the scope in ${field} in a way that cannot be followed: ${source}`,
    responds: (id: string) => `${id} answers the caller of this workflow.`,
    joins: (id: string) => `${id} waits both for selected nodes and for others. Select those that lead to it too.`,
    merges: (id: string) => `${id} merges outputs by the ids of the nodes before it, which would change.`,
    between: (id: string) => `${id} lies between selected nodes. Select it too.`,
    branches: (id: string) =>
      `The way out after ${id} depends on a branch; a sub-workflow goes on in one way. Select what follows it too.`,
    starts: (id: string) => `${id} does not start at the same moment as the other nodes. Leave it out.`,
  },
  de: {
    find: 'Suchen',
    findLabel: 'Id, Art, Einstellung oder Ausdruck',
    findCount: (count: number) =>
      count === 0 ? 'Nichts gefunden' : count === 1 ? 'Ein Knoten gefunden' : `${count} Knoten gefunden`,
    findAt: (at: number, count: number) => `${at} von ${count}`,
    findHelp: 'Enter geht zum nächsten, Umschalt Enter zum vorigen.',
    inField: (field: string) => `in ${field}`,
    insert: 'Knoten in diese Kante einfügen',
    selection: (count: number) => (count === 1 ? 'Eins ausgewählt' : `${count} ausgewählt`),
    selectionTools: 'Für die Auswahl',
    view: 'Ansicht des Graphen',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    fit: 'Alles zeigen',
    keys: 'Tasten',
    extract: 'Unter-Workflow daraus machen',
    extracted: 'Unter-Workflow machen',
    extractHelp: (count: number) =>
      count === 1
        ? 'Ein Knoten wird ein eigener Workflow. Hier führt ihn ein anderer Knoten an seiner Stelle aus.'
        : `${count} Knoten werden ein eigener Workflow. Hier führt ihn ein Knoten an ihrer Stelle aus.`,
    name: 'Name des neuen Workflows',
    reads: 'Er bekommt als Payload:',
    cannot: 'Diese Knoten können kein eigener Workflow werden:',
    made: 'Der neue Workflow ist angelegt und läuft an der Stelle der Knoten.',
    open: 'Öffnen',
    expression: (id: string, field: string, source: string) =>
      `${id} liest in ${field} auf eine Art, der sich nicht folgen lässt: ${source}`,
    responds: (id: string) => `${id} antwortet dem Aufrufer dieses Workflows.`,
    joins: (id: string) =>
      `${id} wartet auf ausgewählte Knoten und auf andere. Wählen Sie auch die aus, die zu ihm führen.`,
    merges: (id: string) => `${id} führt Ausgaben nach den Ids der Knoten davor zusammen; die würden sich ändern.`,
    between: (id: string) => `${id} liegt zwischen ausgewählten Knoten. Wählen Sie ihn auch aus.`,
    branches: (id: string) =>
      `Wie es nach ${id} weitergeht, hängt von einem Zweig ab; ein Unter-Workflow geht auf einem Weg weiter. Wählen Sie auch aus, was folgt.`,
    starts: (id: string) => `${id} beginnt nicht zugleich mit den anderen Knoten. Lassen Sie ihn weg.`,
  },
});
