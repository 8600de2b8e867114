/** The cells of CSV with commas and double quotes; a last line that is cut off in a quote ends with the text. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  // A quoted cell, or one without quotes, and what ends it.
  const pattern = /(?:"((?:[^"]|"")*)"?|([^",\r\n]*))(,|\r\n|\n|$)/gy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) break;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',' && pattern.lastIndex < text.length) continue;
    if (match[3] === ',') cells.push('');
    rows.push(cells);
    cells = [];
  }
  return rows;
}
