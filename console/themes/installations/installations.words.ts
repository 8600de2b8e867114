import { words } from '#console/words/words.ts';

export const installationWords = words({
  en: {
    pinned: 'Pinned version',
    hidden: 'Why its blocks are hidden',
    installedAt: 'Installed',
    changedAt: 'Changed',
    empty: 'No extension is installed. Open one under [Extensions](extensions) and install the version that you want.',
    newest: 'What the newest version would change',
    upgrade: 'Pin another version',
    upgraded: 'The version is pinned.',
    disable: 'Disable',
    disabled: 'Its blocks are out of the catalogue.',
    enable: 'Enable',
    enabled: 'Its blocks are in the catalogue again.',
    uninstall: 'Uninstall',
    uninstallConfirm: (name: string) =>
      `Pages of the shop lose the blocks of ${name}. It is final; installing it again makes another installation.`,
    uninstalled: 'The extension was uninstalled.',
    disableAbout: 'Its blocks disappear from the shop until it is enabled again. Settings and version stay.',
    enableAbout: 'Its blocks appear in the shop again, with their settings as they were.',
  },
  de: {
    pinned: 'Festgelegte Version',
    hidden: 'Warum ihre Blöcke fehlen',
    installedAt: 'Installiert',
    changedAt: 'Geändert',
    empty:
      'Keine Erweiterung ist installiert. Öffnen Sie eine unter [Erweiterungen](extensions) und installieren Sie die gewünschte Version.',
    newest: 'Was die neueste Version ändern würde',
    upgrade: 'Andere Version festlegen',
    upgraded: 'Die Version ist festgelegt.',
    disable: 'Deaktivieren',
    disabled: 'Ihre Blöcke sind nicht mehr im Katalog.',
    enable: 'Aktivieren',
    enabled: 'Ihre Blöcke sind wieder im Katalog.',
    uninstall: 'Deinstallieren',
    uninstallConfirm: (name: string) =>
      `Die Seiten des Shops verlieren die Blöcke von ${name}. Das ist endgültig; wer sie wieder installiert, legt eine andere Installation an.`,
    uninstalled: 'Die Erweiterung wurde deinstalliert.',
    disableAbout:
      'Ihre Blöcke verschwinden aus dem Shop, bis sie wieder aktiviert wird. Einstellungen und Version bleiben.',
    enableAbout: 'Ihre Blöcke erscheinen wieder im Shop, mit den Einstellungen von vorher.',
  },
});
