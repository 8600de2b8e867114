/** The cells of CSV with double quotes; a last line that is cut off in a quote ends with the text. */
export function csvRows(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  const sign = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // A quoted cell, or one without quotes, and what ends it.
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)"?|([^${sign}\\r\\n]*))(${sign}|\\r\\n|\\n|\\r|$)`, 'gy');
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) break;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === delimiter && pattern.lastIndex < text.length) continue;
    if (match[3] === delimiter) cells.push('');
    rows.push(cells);
    cells = [];
  }
  return rows;
}
