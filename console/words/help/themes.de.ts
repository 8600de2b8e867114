/** German help texts for the forms of themes, extensions and installations. */
export const themesHelp: Readonly<Record<string, string>> = {
  '`<vendor>/<name>` of the theme.': '`<vendor>/<name>` des Themes.',
  'Semver; a registered version never changes.': 'Nach Semver; eine registrierte Version ändert sich nie.',
  'The root of the site where the version runs: https, or http for a host that the operator allows.':
    'Wurzel der Site, auf der die Version läuft: mit https; mit http nur bei einem Host, den der Betreiber erlaubt.',
  'What its owner has to change in the next version.': 'Was der Besitzer in der nächsten Version ändern muss.',
  'Why, for those who have it installed; required to block.':
    'Warum, für alle, die sie installiert haben. Zum Sperren nötig.',
  'Whether it stops at once where it is installed. Empty: it goes on there, and installs nowhere else.':
    'Hält die Version sofort an, wo sie installiert ist. Sonst läuft sie dort weiter und wird nirgends mehr installiert.',
  'Another version of the same extension, newer or older.':
    'Eine andere Version derselben Erweiterung, neuer oder älter.',
};
