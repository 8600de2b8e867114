import { words } from '#console/words/words.ts';

export const fieldCredentialWords = words({
  en: {
    none: 'No credential',
    empty: 'There is no credential that fits yet.',
    add: 'New credential',
    chooseType: 'Type of the credential',
    added: 'The credential was added, and this node uses it.',
    numbered: (id: string) => `Credential ${id}`,
    gone: 'This credential was deleted, or you may not read it. Choose another, or add one.',
    otherType: (name: string, type: string) => `${name} is of the type ${type}, which this field does not take.`,
    notRead: (reason: string) => `The credentials cannot be read: ${reason}`,
    state: (state: string) => `State: ${state}`,
    signIn: 'Sign in at the provider',
    signInHint: 'The provider opens in another tab. Grant access there; this form stays as it is.',
    waiting: 'Waiting for the sign-in in the other tab …',
    openProvider: 'Open the provider',
    connected: 'The credential is connected.',
  },
  de: {
    none: 'Keine Zugangsdaten',
    empty: 'Es gibt noch keine passenden Zugangsdaten.',
    add: 'Neue Zugangsdaten',
    chooseType: 'Art der Zugangsdaten',
    added: 'Die Zugangsdaten wurden angelegt, und dieser Knoten benutzt sie.',
    numbered: (id: string) => `Zugangsdaten ${id}`,
    gone: 'Diese Zugangsdaten wurden gelöscht, oder Sie dürfen sie nicht lesen. Wählen Sie andere, oder legen Sie welche an.',
    otherType: (name: string, type: string) => `${name} hat die Art ${type}, die dieses Feld nicht nimmt.`,
    notRead: (reason: string) => `Die Zugangsdaten lassen sich nicht lesen: ${reason}`,
    state: (state: string) => `Zustand: ${state}`,
    signIn: 'Beim Anbieter anmelden',
    signInHint:
      'Der Anbieter öffnet sich in einem anderen Tab. Geben Sie dort den Zugriff frei; dieses Formular bleibt, wie es ist.',
    waiting: 'Wartet auf die Anmeldung im anderen Tab …',
    openProvider: 'Anbieter öffnen',
    connected: 'Die Zugangsdaten sind verbunden.',
  },
});
