import { words } from '#console/words/words.ts';

export const tableWords = words({
  en: {
    name: 'Name',
    value: 'Value',
    cell: (column: string, row: number) => `${column}, row ${row}`,
    addRow: 'Add a row',
    addColumn: 'Add a column',
    column: 'Name of the column',
    removeRow: (row: number) => `Remove row ${row}`,
    up: (row: number) => `Move row ${row} up`,
    down: (row: number) => `Move row ${row} down`,
    drag: (row: number) => `Drag row ${row}`,
    moved: (row: number) => `Moved to row ${row}.`,
    keys: 'Alt with the arrows up and down moves a row.',
    repeated: (name: string) =>
      `Two rows are called ${name}. Give one another name; until then the last value is kept.`,
    asJson: 'As JSON',
    asTable: 'As a table',
  },
  de: {
    name: 'Name',
    value: 'Wert',
    cell: (column: string, row: number) => `${column}, Zeile ${row}`,
    addRow: 'Zeile hinzufügen',
    addColumn: 'Spalte hinzufügen',
    column: 'Name der Spalte',
    removeRow: (row: number) => `Zeile ${row} entfernen`,
    up: (row: number) => `Zeile ${row} nach oben`,
    down: (row: number) => `Zeile ${row} nach unten`,
    drag: (row: number) => `Zeile ${row} ziehen`,
    moved: (row: number) => `Nach Zeile ${row} verschoben.`,
    keys: 'Alt mit den Pfeilen auf und ab verschiebt eine Zeile.',
    repeated: (name: string) =>
      `Zwei Zeilen heißen ${name}. Geben Sie einer einen anderen Namen; bis dahin gilt der letzte Wert.`,
    asJson: 'Als JSON',
    asTable: 'Als Tabelle',
  },
});
