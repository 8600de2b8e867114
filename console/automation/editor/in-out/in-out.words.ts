import { plural, words } from '#console/words/words.ts';

export const inOutWords = words({
  en: {
    title: 'Import and export',
    copyJson: 'Copy as JSON',
    downloadJson: 'Download JSON',
    downloadSvg: 'Download the drawing as SVG',
    copyLink: 'Copy link to the node',
    chooseNode: 'Select a node to copy a link to it.',
    openFile: 'Open a JSON file',
    openHelp: 'A workflow, or nodes that were copied. A file can also be dropped on the graph.',
    outHelp: 'Without credentials, which belong to this tenant.',
    copied: 'It is in the clipboard, without credentials.',
    withoutSecrets: (fields: readonly string[]) =>
      fields.length === 0 ? '' : `Left out because they are secrets: ${fields.join(', ')}.`,
    linkCopied: 'The link is in the clipboard.',
    inserted: (count: number, source: string) =>
      `${count} ${plural(count, 'node was', 'nodes were')} inserted from ${source}.`,
    replaced: (count: number, source: string) =>
      `The graph is now that of ${source}, with ${count} ${plural(count, 'node', 'nodes')}.`,
    replace: 'Replace the graph',
    insert: 'Insert beside it',
    cancel: 'Cancel',
    holds: (source: string, count: number) =>
      `${source} is a whole workflow with ${count} ${plural(count, 'node', 'nodes')}. Replace the graph by it, or insert its nodes beside what is there?`,
    clipboard: 'the clipboard',
    thisGraph: 'this graph',
    leftOut: (count: number) =>
      `${count} ${plural(count, 'edge was', 'edges were')} left out: ${plural(count, 'it', 'they')} would close a circle, or ${plural(count, 'leads', 'lead')} to what was not copied.`,
    unknown: (slugs: string) => `No node is called ${slugs}. Upload its package, or remove the node.`,
    'not-json': (source: string) => `Nothing was inserted: ${source} is not JSON.`,
    n8n: (source: string) =>
      `This is an n8n workflow; its nodes and credentials belong to n8n. Build it here from nodes of the palette, or start from a template. Nothing of ${source} was inserted.`,
    'node-red': (source: string) =>
      `This is a Node-RED flow; its nodes belong to Node-RED. Build it here from nodes of the palette, or start from a template. Nothing of ${source} was inserted.`,
    'other-tool': (source: string) =>
      `Nothing was inserted: ${source} is JSON of another tool. Copied nodes and workflows of Causeway can be inserted.`,
    'too-large': (source: string) => `Nothing was inserted: ${source} is larger than 2 MiB. Take a part of it.`,
    'too-many': (source: string) =>
      `Nothing was inserted: ${source} has more than 2,000 nodes, which is all that a draft may have. Take a part of it.`,
    'too-deep': (source: string) => `Nothing was inserted: ${source} nests deeper than 72 levels.`,
    'bad-ids': (source: string) =>
      `Nothing was inserted: each node of ${source} needs an id of its own, of at most 64 letters, digits, dashes and underscores.`,
    empty: (source: string) => `Nothing was inserted: ${source} has no nodes.`,
    drawing: (name: string) => `Graph of the workflow ${name}`,
    drawingText: (nodes: number, edges: number) =>
      `${nodes} ${plural(nodes, 'node', 'nodes')} and ${edges} ${plural(edges, 'edge', 'edges')}.`,
  },
  de: {
    title: 'Import und Export',
    copyJson: 'Als JSON kopieren',
    downloadJson: 'JSON herunterladen',
    downloadSvg: 'Zeichnung als SVG herunterladen',
    copyLink: 'Link zum Knoten kopieren',
    chooseNode: 'Wählen Sie einen Knoten, um einen Link zu ihm zu kopieren.',
    openFile: 'JSON-Datei öffnen',
    openHelp: 'Ein Workflow, oder kopierte Knoten. Eine Datei lässt sich auch auf den Graphen ziehen.',
    outHelp: 'Ohne Zugangsdaten, die zu diesem Mandanten gehören.',
    copied: 'Es ist in der Zwischenablage, ohne Zugangsdaten.',
    withoutSecrets: (fields: readonly string[]) =>
      fields.length === 0 ? '' : `Weggelassen, weil sie geheim sind: ${fields.join(', ')}.`,
    linkCopied: 'Der Link ist in der Zwischenablage.',
    inserted: (count: number, source: string) =>
      `${count} Knoten ${plural(count, 'wurde', 'wurden')} aus ${source} eingefügt.`,
    replaced: (count: number, source: string) => `Der Graph ist jetzt der aus ${source}, mit ${count} Knoten.`,
    replace: 'Graph ersetzen',
    insert: 'Daneben einfügen',
    cancel: 'Abbrechen',
    holds: (source: string, count: number) =>
      `${source} ist ein ganzer Workflow mit ${count} Knoten. Den Graphen durch ihn ersetzen, oder seine Knoten neben dem einfügen, was da ist?`,
    clipboard: 'der Zwischenablage',
    thisGraph: 'diesem Graphen',
    leftOut: (count: number) =>
      `${count} ${plural(count, 'Kante wurde', 'Kanten wurden')} weggelassen, weil sie einen Kreis schließen oder zu etwas führen würden, das nicht kopiert ist.`,
    unknown: (slugs: string) => `Kein Knoten heißt ${slugs}. Laden Sie sein Paket hoch, oder entfernen Sie den Knoten.`,
    'not-json': (source: string) => `Nichts wurde eingefügt: Der Inhalt von ${source} ist kein JSON.`,
    n8n: (source: string) =>
      `Das ist ein Workflow von n8n; seine Knoten und Zugangsdaten gehören zu n8n. Bauen Sie ihn hier aus Knoten der Palette, oder beginnen Sie mit einer Vorlage. Aus ${source} wurde nichts eingefügt.`,
    'node-red': (source: string) =>
      `Das ist ein Flow von Node-RED; seine Knoten gehören zu Node-RED. Bauen Sie ihn hier aus Knoten der Palette, oder beginnen Sie mit einer Vorlage. Aus ${source} wurde nichts eingefügt.`,
    'other-tool': (source: string) =>
      `Nichts wurde eingefügt: Der Inhalt von ${source} ist JSON eines anderen Werkzeugs. Einfügen lassen sich kopierte Knoten und Workflows von Causeway.`,
    'too-large': (source: string) =>
      `Nichts wurde eingefügt: Der Inhalt von ${source} ist größer als 2 MiB. Nehmen Sie einen Teil davon.`,
    'too-many': (source: string) =>
      `Nichts wurde eingefügt: Der Inhalt von ${source} hat mehr als 2.000 Knoten, und mehr darf ein Entwurf nicht haben. Nehmen Sie einen Teil davon.`,
    'too-deep': (source: string) =>
      `Nichts wurde eingefügt: Der Inhalt von ${source} ist tiefer als 72 Ebenen verschachtelt.`,
    'bad-ids': (source: string) =>
      `Nichts wurde eingefügt: Jeder Knoten im Inhalt von ${source} braucht eine eigene id, aus höchstens 64 Buchstaben, Ziffern, Binde- und Unterstrichen.`,
    empty: (source: string) => `Nichts wurde eingefügt: Der Inhalt von ${source} hat keine Knoten.`,
    drawing: (name: string) => `Graph des Workflows ${name}`,
    drawingText: (nodes: number, edges: number) => `${nodes} Knoten und ${edges} ${plural(edges, 'Kante', 'Kanten')}.`,
  },
});
