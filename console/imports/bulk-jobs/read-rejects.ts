import { csvRows } from '#console/imports/csv-rows.ts';

export interface Reject {
  line: string;
  column: string;
  value: string;
  reason: string;
}

export interface FirstRejects {
  rows: Reject[];
  /** False where the file has more than these. */
  isAll: boolean;
}

/** Rows of a table on a page, at most. */
export const shownRejects = 500;
const maxCharacters = 512 * 1024;

/** Reads the beginning of the file of rejected rows, however long it is. Rejects where it cannot be read. */
export async function readRejects(url: string, signal: AbortSignal): Promise<FirstRejects> {
  const response = await fetch(url, { signal, credentials: 'omit' });
  if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isWhole = false;
  while (!isWhole && text.length < maxCharacters) {
    const { value, done } = await reader.read();
    isWhole = done;
    text += value ?? '';
  }
  if (!isWhole) await reader.cancel();
  const all = csvRows(text).slice(1);
  const read = isWhole ? all : all.slice(0, -1);
  return {
    rows: read
      .slice(0, shownRejects)
      .map(([line = '', column = '', value = '', reason = '']) => ({ line, column, value, reason })),
    isAll: isWhole && read.length <= shownRejects,
  };
}
