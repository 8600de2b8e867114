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
  'Read orders.': 'Aufträge lesen.',
  'Acknowledge, cancel and complete orders, and report shipments, returns and payments.':
    'Aufträge bestätigen, stornieren und abschließen; Lieferungen, Rücksendungen und Zahlungen melden.',
  'Read organizations, contacts, cost centres and metrics.':
    'Kunden, Ansprechpartner, Kostenstellen und Kennzahlen lesen.',
  'Make and change organizations.': 'Kunden anlegen und ändern.',
  'Read price lists and prices, and resolve prices.': 'Preislisten und Preise lesen und Preise ermitteln.',
  'Make, change and delete price lists, and set prices.': 'Preislisten anlegen, ändern und löschen; Preise setzen.',
  'Read products.': 'Artikel lesen.',
  'Make, change and delete products.': 'Artikel anlegen, ändern und löschen.',
  'Read stock, availability and movements.': 'Bestände, Verfügbarkeit und Bewegungen lesen.',
  'Book movements, transfer stock and set reorder points.':
    'Bewegungen buchen, Bestand umlagern und Meldebestände setzen.',
  'Read webhook destinations, deliveries and inbound endpoints.':
    'Webhook-Ziele, Zustellungen und Eingangsadressen lesen.',
  'Make, change and delete webhook destinations and inbound endpoints, and send deliveries again.':
    'Webhook-Ziele und Eingangsadressen anlegen, ändern und löschen; Zustellungen neu senden.',
  'Read installed themes, extensions and blocks, and have blocks rendered: for theme servers.':
    'Installierte Themes, Erweiterungen und Blöcke lesen und Blöcke darstellen lassen: für Theme-Server.',
  'Read import profiles, schedules, jobs, what they rejected and what they exported.':
    'Importprofile, Zeitpläne und Jobs lesen, auch was sie abgelehnt und exportiert haben.',
  'Upload files, keep import profiles, accounts of servers and schedules, start and cancel imports and exports.':
    'Dateien hochladen; Importprofile, Serverkonten und Zeitpläne pflegen; Importe und Exporte starten und abbrechen.',
};
