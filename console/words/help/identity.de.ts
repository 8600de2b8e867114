/** German help texts for the forms of organisations, tenants and API keys, and those that several places share. */
export const identityHelp: Readonly<Record<string, string>> = {
  'Unique in the tenant.': 'Im Mandanten eindeutig.',
  'For people.': 'Nur zur Anzeige.',
  'Its name for people.': 'Name, der angezeigt wird.',
  'Https, or http to a host that the operator allows.':
    'Mit https; mit http nur zu einem Host, den der Betreiber erlaubt.',
  'Its slug: a lowercase letter, then up to 62 lowercase letters, digits or hyphens. It never changes.':
    'Ein Kleinbuchstabe, dann bis zu 62 Kleinbuchstaben, Ziffern oder Bindestriche. Später nicht änderbar.',
  'The integration it is of.': 'Die Anbindung, die den Schlüssel benutzt.',
  'What it may do: names of scopes, or `*` for all.': 'Was der Schlüssel darf: Namen von Rechten, oder `*` für alle.',
  'From when on it is refused; empty, it has no end.':
    'Ab wann der Schlüssel abgewiesen wird. Leer: Er gilt unbefristet.',
  'Hours for which the old key stays good, 0 to 168; empty: 24.':
    'Stunden, die der alte Schlüssel noch gilt: 0 bis 168. Leer: 24.',
};
