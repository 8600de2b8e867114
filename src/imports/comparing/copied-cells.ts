const [tab, lineFeed, backslash, capitalN] = [0x09, 0x0a, 0x5c, 0x4e];
const special = /[\\\n\r\t]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Bytes that a cell may take as COPY's text format has it. */
export const measureRoom = (cell: string | null): number => (cell === null ? 2 : 3 * cell.length);

/** Writes a cell as COPY's text format has it, where there is room, and answers its end. */
export function writeCell(bytes: Buffer, begin: number, cell: string | null): number {
  if (cell === null) {
    bytes[begin] = backslash;
    bytes[begin + 1] = capitalN;
    return begin + 2;
  }
  for (let at = 0; at < cell.length; at += 1) {
    const code = cell.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === backslash) {
      const escaped = cell.replaceAll(special, (letter) => escapes[letter] as string);
      return begin + bytes.write(escaped, begin);
    }
    bytes[begin + at] = code;
  }
  return begin + cell.length;
}

/** Writes cells as a row, and answers its end. */
export function writeCells(bytes: Buffer, begin: number, cells: readonly (string | null)[]): number {
  let at = begin;
  for (const cell of cells) {
    at = writeCell(bytes, at, cell);
    bytes[at] = tab;
    at += 1;
  }
  bytes[at - 1] = lineFeed;
  return at;
}

export const roomOfCells = (cells: readonly (string | null)[]): number =>
  cells.reduce((sum, cell) => sum + measureRoom(cell) + 1, 0);
