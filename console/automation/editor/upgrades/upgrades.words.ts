import { words } from '#console/words/words.ts';

const many = (count: number, one: string, more: string): string => (count === 1 ? one : `${count} ${more}`);

export const upgradeWords = words({
  en: {
    isOutdated: (current: string, newest: string) => `It runs version ${current}. Version ${newest} is there.`,
    isGone: (asked: string, newest: string) =>
      `No version ${asked} of this node is registered any more, so it cannot run. Version ${newest} is there.`,
    isGoneForGood: (asked: string) =>
      `No version ${asked} of this node is registered any more, and no later one. Upload its package, or remove the node.`,
    show: 'Show what changes',
    upgrade: (newest: string) => `Upgrade to ${newest}`,
    upgradeAll: (count: number) => many(count, 'Upgrade the outdated node', 'nodes: upgrade all of them'),
    removeNode: 'Remove the node',
    step: (count: number) => `Upgrade ${many(count, 'a node', 'nodes')}`,
    done: (count: number) => `${many(count, 'A node was', 'nodes were')} upgraded in the draft. Undo takes it back.`,
    none: 'No node was upgraded.',
    remaining: (count: number) => `${many(count, 'One more node is', 'more nodes are')} outdated. Upgrade again.`,
    refused: 'These nodes stayed as they were',
    isReady: 'Its settings are valid in the new version.',
    isInvalid: 'Its settings have to be completed in the new version:',
    migrationFailed: (reason: string) =>
      `Its package could not carry the settings over: ${reason} They stay as they are and have to be completed.`,
    settings: 'Settings that change',
    noChange: 'The settings stay as they are.',
    nothing: 'nothing',
    added: (names: string) => `New fields: ${names}.`,
    removed: (names: string) => `Fields that it has no more: ${names}.`,
    changed: (names: string) => `Fields that differ: ${names}.`,
    needed: (names: string) => `Fields that need a value now: ${names}.`,
    outputsAdded: (names: string) => `New outputs: ${names}.`,
    outputsRemoved: (names: string) =>
      `Outputs that it has no more: ${names}. Expressions that read them yield nothing.`,
    branchesAdded: (names: string) => `New branches: ${names}.`,
    branchesRemoved: (names: string) => `Branches that it has no more: ${names}.`,
  },
  de: {
    isOutdated: (current: string, newest: string) => `Er läuft in Version ${current}. Es gibt Version ${newest}.`,
    isGone: (asked: string, newest: string) =>
      `Keine Version ${asked} dieses Knotens ist mehr registriert, so kann er nicht laufen. Es gibt Version ${newest}.`,
    isGoneForGood: (asked: string) =>
      `Keine Version ${asked} dieses Knotens ist mehr registriert, und keine spätere. Laden Sie sein Paket hoch, oder entfernen Sie den Knoten.`,
    show: 'Zeigen, was sich ändert',
    upgrade: (newest: string) => `Auf ${newest} heben`,
    upgradeAll: (count: number) => many(count, 'Den veralteten Knoten heben', 'Knoten: alle heben'),
    removeNode: 'Den Knoten entfernen',
    step: (count: number) => `${many(count, 'Einen Knoten', 'Knoten')} auf eine neue Version heben`,
    done: (count: number) =>
      `${many(count, 'Ein Knoten ist', 'Knoten sind')} im Entwurf auf die neue Version gehoben. „Rückgängig“ nimmt es zurück.`,
    none: 'Kein Knoten wurde gehoben.',
    remaining: (count: number) =>
      `${many(count, 'Ein weiterer Knoten ist', 'weitere Knoten sind')} veraltet. Heben Sie noch einmal.`,
    refused: 'Diese Knoten sind geblieben, wie sie waren',
    isReady: 'Seine Einstellungen gelten auch in der neuen Version.',
    isInvalid: 'Seine Einstellungen müssen für die neue Version ergänzt werden:',
    migrationFailed: (reason: string) =>
      `Sein Paket konnte die Einstellungen nicht übertragen: ${reason} Sie bleiben, wie sie sind, und müssen ergänzt werden.`,
    settings: 'Einstellungen, die sich ändern',
    noChange: 'Die Einstellungen bleiben, wie sie sind.',
    nothing: 'nichts',
    added: (names: string) => `Neue Felder: ${names}.`,
    removed: (names: string) => `Felder, die es nicht mehr gibt: ${names}.`,
    changed: (names: string) => `Felder, die anders sind: ${names}.`,
    needed: (names: string) => `Felder, die jetzt einen Wert brauchen: ${names}.`,
    outputsAdded: (names: string) => `Neue Ausgaben: ${names}.`,
    outputsRemoved: (names: string) =>
      `Ausgaben, die es nicht mehr gibt: ${names}. Ausdrücke, die sie lesen, ergeben nichts.`,
    branchesAdded: (names: string) => `Neue Zweige: ${names}.`,
    branchesRemoved: (names: string) => `Zweige, die es nicht mehr gibt: ${names}.`,
  },
});
