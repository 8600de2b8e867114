/** German help texts for the forms of imports, exports, profiles, schedules, sources and accounts. */
export const importsHelp: Readonly<Record<string, string>> = {
  'What is imported: `stock`, `products`.': 'Was importiert wird, z. B. Bestände oder Artikel.',
  'What the file is written in.': 'Worin die Datei geschrieben ist.',
  'What separates the cells of CSV; empty: a comma.': 'Was die Zellen von CSV trennt. Leer: ein Komma.',
  '`utf-8` where empty, `utf-16le`, `utf-16be`, `windows-1252`, `iso-8859-15`, `cp850` or `macintosh`.':
    '`utf-8`, `utf-16le`, `utf-16be`, `windows-1252`, `iso-8859-15`, `cp850` oder `macintosh`. Leer: `utf-8`.',
  '`.` where empty, or `,`.': 'Punkt oder Komma. Leer: Punkt.',
  'Whether the first row of CSV and workbooks names the columns. Else they are named `1`, `2` and so on.':
    'Ob die erste Zeile von CSV und Arbeitsmappen die Spalten nennt. Sonst heißen sie `1`, `2` und so weiter.',
  'Lines of CSV, or rows of a sheet, before the header; up to 1000, empty: 0.':
    'Zeilen von CSV oder eines Tabellenblatts vor der Kopfzeile, bis zu 1.000. Leer: 0.',
  'What stands around cells of CSV; empty: `"`.': 'Was Zellen von CSV umgibt. Leer: `"`.',
  'The sheet of a workbook; empty: its first.': 'Das Blatt der Arbeitsmappe. Leer: das erste.',
  'Where records are in JSON and XML; empty: in the root.':
    'Wo die Datensätze in JSON und XML stehen. Leer: in der Wurzel.',
  'Namespaces of XML by the prefixes that `recordPath` and `mapping` use, `""` for names without one; empty: names are as the file writes them.':
    'Namensräume von XML zu den Präfixen, die Pfad und Zuordnung benutzen; `""` für Namen ohne Präfix. Leer: Namen wie in der Datei.',
  'By field: `"column"`, `{column, default?, transforms?}`, `{columns, separator?}`, `{columns, expression}` or `{value}`. Empty: columns are named as fields.':
    'Je Feld: `"column"`, `{column, default?, transforms?}`, `{columns, separator?}`, `{columns, expression}` oder `{value}`. Leer: Spalten heißen wie Felder.',
  'Empty: columns are named as fields.': 'Leer: Spalten heißen wie Felder.',
  'Empty: `FULL`.': 'Leer: Vollständig.',
  'Empty: `KEEP`.': 'Leer: Behalten.',
  'Empty: `PHYSICAL`.': 'Leer: Körperlich.',
  'A file that rejects more rows is refused as a whole: a number such as `100`, or a share such as `2.5%`; empty: any number.':
    'Werden mehr Zeilen abgelehnt, wird die ganze Datei abgelehnt: eine Zahl wie `100` oder ein Anteil wie `2.5%`. Leer: beliebig viele.',
  'Empty: any number.': 'Leer: beliebig viele.',
  'The moment that stock is counted at; empty: now.': 'Zeitpunkt, zu dem der Bestand gezählt ist. Leer: jetzt.',
  'Empty: now.': 'Leer: jetzt.',
  "An import profile's name.": 'Name eines Importprofils.',
  'The directory of the files; empty: where the user is put.':
    'Verzeichnis der Dateien. Leer: das, in dem die Anmeldung beginnt.',
  'Such as `stock-*.csv`; empty: all files of the directory.':
    'Z. B. `stock-*.csv`. Leer: alle Dateien des Verzeichnisses.',
  'Five fields, or six with seconds first.': 'Fünf Felder, oder sechs mit den Sekunden zuerst.',
  'An IANA time zone; empty: UTC.': 'Eine IANA-Zeitzone. Leer: UTC.',
  'Empty: `MOVE`.': 'Leer: Verschieben.',
  'Below `path`, or from the root on; empty: `processed`.':
    'Unterhalb des Verzeichnisses, oder ab der Wurzel. Leer: `processed`.',
  'Of one run, 1 to 1,000; empty: 100.': 'In einem Lauf, 1 bis 1.000. Leer: 100.',
  'What to export: `stock`, `orders`. Empty: that of the profile.':
    'Was exportiert wird, z. B. Bestände oder Aufträge. Leer: wie im Profil.',
  'The name of an import profile, whose mapping is reversed.':
    'Name eines Importprofils, dessen Zuordnung umgekehrt wird.',
  'Empty: that of the profile, or `CSV`.': 'Leer: wie im Profil, sonst CSV.',
  'Empty: that of the profile.': 'Leer: wie im Profil.',
  'Exports rows that have these values, by field; `updated_since`: that changed then or later.':
    'Exportiert Zeilen mit diesen Werten, je Feld; `updated_since`: die sich zu diesem Zeitpunkt oder später geändert haben.',
  'Empty: none.': 'Leer: keiner.',
  'The directory that files are put into; empty: where the user is put.':
    'Verzeichnis, in das Dateien gelegt werden. Leer: das, in dem die Anmeldung beginnt.',
  'Such as `stock-{date}.csv`; `{time}` and `{job}` make it another name each time.':
    'Z. B. `stock-{date}.csv`; mit `{time}` und `{job}` ist der Name jedes Mal ein anderer.',
  'An IANA time zone, also of `{date}` and `{time}`; empty: UTC.':
    'Eine IANA-Zeitzone, auch für `{date}` und `{time}`. Leer: UTC.',
  'Sent with each request, by name, at most 20; stored encrypted.':
    'Header nach Name, die mit jeder Anfrage gesendet werden; höchstens 20, verschlüsselt gespeichert.',
  'All of them.': 'Alle; sie ersetzen die bisherigen.',
  'The name or address of the server.': 'Name oder Adresse des Servers.',
  'The pinned host key stays.': 'Der festgelegte Host-Key bleibt.',
  'Empty: 22.': 'Leer: 22.',
  'Who logs in.': 'Wer sich anmeldet.',
  'Or `privateKey`.': 'Oder ein privater Schlüssel.',
  'Replaces the password or the key.': 'Ersetzt das Passwort oder den Schlüssel.',
  'In the format of OpenSSH or PEM.': 'Im Format von OpenSSH oder PEM.',
  'Of the private key, where it is encrypted.': 'Des privaten Schlüssels, falls er verschlüsselt ist.',
  'Of the private key that is given.': 'Des angegebenen privaten Schlüssels.',
  'The key that the server must show, as `ssh-keygen -lf` prints it: `SHA256:...`. Without it, the error says which key the server shows now.':
    'Schlüssel, den der Server zeigen muss, wie `ssh-keygen -lf` ihn ausgibt: `SHA256:...`. Ohne ihn nennt der Fehler den, den der Server jetzt zeigt.',
  'The key that the server shows from now on: `SHA256:...`.': 'Schlüssel, den der Server ab jetzt zeigt: `SHA256:...`.',
  'The SFTP account whose server has the files.': 'Das SFTP-Konto, auf dessen Server die Dateien liegen.',
  'The SFTP account whose server gets the files.': 'Das SFTP-Konto, dessen Server die Dateien bekommt.',
  'The HTTP source, where files are not on an SFTP server.':
    'Die HTTP-Quelle, wenn die Dateien nicht auf einem SFTP-Server liegen.',
  'Replaces the account or source.': 'Ersetzt das Konto oder die Quelle.',
};
