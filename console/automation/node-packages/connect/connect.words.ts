import { words } from '#console/words/words.ts';

export const connectWords = words({
  en: {
    title: 'Connect an API',
    leave: 'Back to the nodes',
    about:
      'Makes nodes from the description of an API: OpenAPI, Postman, OData, GraphQL, WSDL or AsyncAPI. You choose the operations, and no code is needed.',
    source: 'Description',
    file: 'File',
    address: 'Or its address',
    addressHelp: 'The server reads the address, so the server must be able to reach it.',
    read: 'Read the description',
    reading: 'Reading the description…',
    sendFailed: 'The file could not be sent. Try again.',
    wasRead: (title: string, count: number) => `${title}: ${count} operations.`,
    kind: 'Kind',
    version: 'Version',
    servers: 'Addresses',
    credentials: 'Signs in with',
    none: 'None',
    operations: 'Operations',
    search: 'Search operations',
    tag: 'Group',
    allTags: 'All groups',
    chooseShown: (count: number) => (count === 1 ? 'Choose 1 operation' : `Choose all ${count}`),
    clear: 'Choose none',
    chosen: (count: number, all: number) => `${count} of ${all} are chosen`,
    more: (count: number) => `Show ${count} more`,
    noMatch: 'No operation matches. Search for fewer words.',
    deprecated: 'deprecated',
    cannot: (count: number) =>
      count === 1 ? '1 operation cannot become a node' : `${count} operations cannot become nodes`,
    limited: (shown: number, all: number) => `The first ${shown} of ${all} operations are listed.`,
    package: 'Package',
    organisation: 'Organisation',
    namespace: 'Namespace',
    namespaceHelp: 'Prefix of the names of the nodes. A package of this namespace gets its next version.',
    compare: 'Compare with the package',
    publish: (count: number) => (count === 1 ? 'Publish 1 node' : `Publish ${count} nodes`),
    published: (name: string, version: string) => `${name} ${version} is published.`,
    same: (name: string, version: string) => `Nothing has changed: ${name} ${version} was published before.`,
    next: 'What to do next',
    addCredential: (name: string) => `Add a credential: ${name}`,
    openWorkflows: 'Use the nodes in a workflow',
    inTenants: (types: readonly string[]) =>
      `An administrator of a tenant ${types.length > 0 ? `adds a credential of the type ${types.join(' or ')}, and ` : ''}uses the nodes in a workflow.`,
    outdated:
      'Workflows stay on the version that they use. Their editor lists the nodes that have a newer one, and upgrades them in the draft.',
    noChanges: 'Nothing changes.',
    changes: (count: number, breaking: number) => `${count} changes, ${breaking} of them breaking`,
    otherApi: (title: string) =>
      `The package was made from another API until now: ${title}. Choose another namespace to keep both.`,
    breaking: 'breaking',
    broken: (count: number) => (count === 1 ? '1 place in a workflow breaks' : `${count} places in workflows break`),
    noneBroken: (count: number) =>
      count === 0
        ? 'No workflow uses the package.'
        : count === 1
          ? 'The workflow that uses the package does not break.'
          : `None of the ${count} workflows that use the package breaks.`,
    reads: (member: string) => `reads ${member}`,
  },
  de: {
    title: 'API anbinden',
    leave: 'Zurück zu den Knoten',
    about:
      'Macht aus der Beschreibung einer API Knoten: OpenAPI, Postman, OData, GraphQL, WSDL oder AsyncAPI. Sie wählen die Operationen, Code ist nicht nötig.',
    source: 'Beschreibung',
    file: 'Datei',
    address: 'Oder ihre Adresse',
    addressHelp: 'Der Server liest die Adresse, sie muss also von dort erreichbar sein.',
    read: 'Beschreibung lesen',
    reading: 'Die Beschreibung wird gelesen …',
    sendFailed: 'Die Datei konnte nicht gesendet werden. Versuchen Sie es noch einmal.',
    wasRead: (title: string, count: number) => `${title}: ${count} Operationen.`,
    kind: 'Art',
    version: 'Version',
    servers: 'Adressen',
    credentials: 'Anmeldung mit',
    none: 'Keine',
    operations: 'Operationen',
    search: 'Operationen suchen',
    tag: 'Gruppe',
    allTags: 'Alle Gruppen',
    chooseShown: (count: number) => (count === 1 ? '1 Operation wählen' : `Alle ${count} wählen`),
    clear: 'Keine wählen',
    chosen: (count: number, all: number) => `${count} von ${all} gewählt`,
    more: (count: number) => `${count} weitere zeigen`,
    noMatch: 'Keine Operation passt. Suchen Sie nach weniger Wörtern.',
    deprecated: 'veraltet',
    cannot: (count: number) =>
      count === 1 ? '1 Operation kann kein Knoten werden' : `${count} Operationen können keine Knoten werden`,
    limited: (shown: number, all: number) => `Die ersten ${shown} von ${all} Operationen sind aufgeführt.`,
    package: 'Paket',
    organisation: 'Organisation',
    namespace: 'Namensraum',
    namespaceHelp: 'Vorsilbe der Namen der Knoten. Ein Paket dieses Namensraums bekommt seine nächste Version.',
    compare: 'Mit dem Paket vergleichen',
    publish: (count: number) => (count === 1 ? '1 Knoten veröffentlichen' : `${count} Knoten veröffentlichen`),
    published: (name: string, version: string) => `${name} ${version} ist veröffentlicht.`,
    same: (name: string, version: string) => `Nichts hat sich geändert: ${name} ${version} war schon veröffentlicht.`,
    next: 'Wie es weitergeht',
    addCredential: (name: string) => `Zugangsdaten anlegen: ${name}`,
    openWorkflows: 'Die Knoten in einem Workflow verwenden',
    inTenants: (types: readonly string[]) =>
      `Ein Administrator eines Mandanten ${types.length > 0 ? `legt Zugangsdaten des Typs ${types.join(' oder ')} an und ` : ''}verwendet die Knoten in einem Workflow.`,
    outdated:
      'Workflows bleiben bei der Version, die sie verwenden. Ihr Editor nennt die Knoten, von denen es eine neuere gibt, und hebt sie im Entwurf an.',
    noChanges: 'Nichts ändert sich.',
    changes: (count: number, breaking: number) => `${count} Änderungen, davon ${breaking} unverträglich`,
    otherApi: (title: string) =>
      `Das Paket wurde bisher aus einer anderen API gemacht: ${title}. Wählen Sie einen anderen Namensraum, um beide zu behalten.`,
    breaking: 'unverträglich',
    broken: (count: number) =>
      count === 1 ? '1 Stelle in einem Workflow bricht' : `${count} Stellen in Workflows brechen`,
    noneBroken: (count: number) =>
      count === 0
        ? 'Kein Workflow verwendet das Paket.'
        : count === 1
          ? 'Der Workflow, der das Paket verwendet, bricht nicht.'
          : `Keiner der ${count} Workflows, die das Paket verwenden, bricht.`,
    reads: (member: string) => `liest ${member}`,
  },
});
