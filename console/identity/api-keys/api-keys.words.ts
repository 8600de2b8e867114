import { words } from '#console/words/words.ts';

export const apiKeyWords = words({
  en: {
    prefix: 'Begins with',
    lastUsed: 'Last used',
    state: 'State',
    revokedAt: 'Revoked',
    everything: 'Everything',
    everythingAbout: 'All that keys can do, also what a later version adds.',
    create: 'New API key',
    created: 'The key was created.',
    rotate: 'Rotate',
    rotated: 'The key was rotated. The former one works until its overlap ends.',
    revoke: 'Revoke',
    revoked: 'The key was revoked.',
    revokeConfirm: (name: string) =>
      `Programs that use the key "${name}" are refused from now on. A revoked key stays revoked.`,
    empty: 'No API key yet. Create one for a program that calls this server; its scopes say what it may do.',
  },
  de: {
    prefix: 'Beginnt mit',
    lastUsed: 'Zuletzt benutzt',
    state: 'Zustand',
    revokedAt: 'Widerrufen',
    everything: 'Alles',
    everythingAbout: 'Alles, was Schlüssel können, auch was eine spätere Version hinzufügt.',
    create: 'Neuer API-Schlüssel',
    created: 'Der Schlüssel wurde angelegt.',
    rotate: 'Wechseln',
    rotated: 'Der Schlüssel wurde gewechselt. Der alte gilt, bis die Überlappung endet.',
    revoke: 'Widerrufen',
    revoked: 'Der Schlüssel wurde widerrufen.',
    revokeConfirm: (name: string) =>
      `Programme, die den Schlüssel „${name}“ benutzen, werden ab sofort abgewiesen. Ein widerrufener Schlüssel bleibt widerrufen.`,
    empty:
      'Noch kein API-Schlüssel. Legen Sie einen für ein Programm an, das diesen Server aufruft; seine Rechte sagen, was es darf.',
  },
});
