import { words } from '#console/words/words.ts';

export const credentialWords = words({
  en: {
    type: 'Type',
    state: 'State',
    search: 'Name or type',
    lastTest: 'Last test',
    testMessage: 'What the test said',
    tested: 'Tested',
    config: 'Settings',
    onlySecrets: 'Its fields are all secret. Nobody can read them back.',
    keptSecret: 'Left empty, it stays as it is.',
    usedBy: 'Where it is used',
    notUsed: 'No node of a workflow names it.',
    workflow: 'Workflow',
    node: 'Node',
    field: 'Field',
    chooseType: 'Which system does the credential belong to?',
    add: 'New credential',
    added: 'The credential was added.',
    connect: 'Sign in at the provider',
    connectHint: (uri: string) =>
      `You leave the console for the provider, grant access there, and come back. The provider has to know this address as redirect URI: ${uri}`,
    leaving: 'The provider opens now.',
    connected: 'The credential is connected.',
    notConnected: 'The credential was not connected',
    linkOver:
      'The link is older than ten minutes, or was used already, or the credential was changed since. Start again from its page.',
    refusedWith: (error: string) =>
      `The provider did not grant access: ${error}. Start again from the page of the credential.`,
    toCredentials: 'To the credentials',
    test: 'Test',
    testPassed: (message: string) => `The test passed. ${message}`,
    testFailed: (message: string) => `The test failed. ${message}`,
    edit: 'Edit',
    saved: 'The credential was changed.',
    remove: 'Delete',
    removeConfirm: (name: string, count: string, uses: number) =>
      uses === 0
        ? `The credential "${name}" is deleted with its secrets. No workflow uses it.`
        : `The credential "${name}" is deleted with its secrets. ${count} ${uses === 1 ? 'node of a workflow fails' : 'nodes of workflows fail'} until another is chosen there.`,
    removed: 'The credential was deleted.',
    empty: 'No credential yet. Add one for each system that workflows sign in to.',
    testAbout: 'Calls the service with this credential, once, and shows what it answered.',
  },
  de: {
    type: 'Art',
    state: 'Zustand',
    search: 'Name oder Art',
    lastTest: 'Letzte Prüfung',
    testMessage: 'Ergebnis der Prüfung',
    tested: 'Geprüft',
    config: 'Einstellungen',
    onlySecrets: 'Alle ihre Felder sind geheim. Niemand kann sie wieder lesen.',
    keptSecret: 'Leer gelassen bleibt es, wie es ist.',
    usedBy: 'Wo sie benutzt werden',
    notUsed: 'Kein Knoten eines Workflows nennt sie.',
    workflow: 'Workflow',
    node: 'Knoten',
    field: 'Feld',
    chooseType: 'Zu welchem System gehören die Zugangsdaten?',
    add: 'Neue Zugangsdaten',
    added: 'Die Zugangsdaten wurden angelegt.',
    connect: 'Beim Anbieter anmelden',
    connectHint: (uri: string) =>
      `Sie verlassen die Konsole, geben beim Anbieter den Zugriff frei und kommen zurück. Der Anbieter muss diese Adresse als Redirect-URI kennen: ${uri}`,
    leaving: 'Der Anbieter wird geöffnet.',
    connected: 'Die Zugangsdaten sind verbunden.',
    notConnected: 'Die Zugangsdaten wurden nicht verbunden',
    linkOver:
      'Der Link ist älter als zehn Minuten, wurde schon benutzt, oder die Zugangsdaten wurden seither geändert. Beginnen Sie noch einmal auf ihrer Seite.',
    refusedWith: (error: string) =>
      `Der Anbieter hat den Zugriff nicht freigegeben: ${error}. Beginnen Sie noch einmal auf der Seite der Zugangsdaten.`,
    toCredentials: 'Zu den Zugangsdaten',
    test: 'Prüfen',
    testPassed: (message: string) => `Die Prüfung war erfolgreich. ${message}`,
    testFailed: (message: string) => `Die Prüfung ist fehlgeschlagen. ${message}`,
    edit: 'Bearbeiten',
    saved: 'Die Zugangsdaten wurden geändert.',
    remove: 'Löschen',
    removeConfirm: (name: string, count: string, uses: number) =>
      uses === 0
        ? `Die Zugangsdaten „${name}“ werden mit ihren Geheimnissen gelöscht. Kein Workflow benutzt sie.`
        : `Die Zugangsdaten „${name}“ werden mit ihren Geheimnissen gelöscht. ${count} ${uses === 1 ? 'Knoten eines Workflows schlägt' : 'Knoten von Workflows schlagen'} fehl, bis dort andere gewählt sind.`,
    removed: 'Die Zugangsdaten wurden gelöscht.',
    empty: 'Noch keine Zugangsdaten. Legen Sie welche für jedes System an, an dem sich Workflows anmelden.',
    testAbout: 'Ruft den Dienst einmal mit diesen Zugangsdaten auf und zeigt, was er geantwortet hat.',
  },
});
