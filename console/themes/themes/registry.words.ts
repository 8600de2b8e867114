import { words } from '#console/words/words.ts';

export const themeListWords = words({
  en: {
    name: (title: string, version: string) => `${title} ${version}`,
    here: 'In this tenant',
    installedAt: 'Installed',
    empty: 'No theme is registered yet. An operator registers each version of a theme once, for every tenant.',
    extensions: 'Extensions for it',
    noExtensions: 'No extension that you may see is for this theme.',
    register: 'Register a version',
    registered: 'The theme is registered.',
    install: 'Install',
    installConfirm: (name: string) => `Installs ${name} in this tenant, in place of the version that it has.`,
    installed: 'The theme is installed.',
    uninstall: 'Uninstall',
    uninstallConfirm: (name: string) =>
      `Uninstalls ${name}. The blocks of its extensions are out of the catalogue until it is back.`,
    uninstalled: 'The theme was uninstalled.',
  },
  de: {
    name: (title: string, version: string) => `${title} ${version}`,
    here: 'In diesem Mandanten',
    installedAt: 'Installiert',
    empty: 'Noch kein Theme ist registriert. Ein Betreiber registriert jede Version einmal für alle Mandanten.',
    extensions: 'Erweiterungen dafür',
    noExtensions: 'Keine Erweiterung, die Sie sehen dürfen, ist für dieses Theme.',
    register: 'Version registrieren',
    registered: 'Das Theme ist registriert.',
    install: 'Installieren',
    installConfirm: (name: string) => `Installiert ${name} in diesem Mandanten, anstelle der Version, die er hat.`,
    installed: 'Das Theme ist installiert.',
    uninstall: 'Deinstallieren',
    uninstallConfirm: (name: string) =>
      `Deinstalliert ${name}. Die Blöcke der Erweiterungen fehlen im Katalog, bis es zurück ist.`,
    uninstalled: 'Das Theme wurde deinstalliert.',
  },
});
