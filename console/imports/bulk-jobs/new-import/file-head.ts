import { csvRows } from '#console/imports/csv-rows.ts';
import type { Settings } from './settings.ts';

const headBytes = 64 * 1024;
const shownRows = 3;

/** The beginning of a file, from which columns and samples are read in the browser. */
export const readHead = async (file: Blob): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(0, headBytes).arrayBuffer());

const isPacked = (head: Uint8Array): boolean =>
  (head[0] === 0x1f && head[1] === 0x8b) || (head[0] === 0x50 && head[1] === 0x4b);

/** No text has these characters, but for tabs and ends of lines and pages. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u0008\u000e-\u001f]/;

/** Whether a file that was taken for text is none, such as a picture. */
export const isBinary = (head: Uint8Array, { format, encoding }: Pick<Settings, 'format' | 'encoding'>): boolean =>
  format === 'CSV' && !isPacked(head) && controls.test(decode(head, encoding) ?? '');

export interface Columns {
  names: readonly string[];
  /** The first values of each column, in the order of the names. */
  samples: readonly (readonly string[])[];
}

/** The columns of a CSV file by its settings; undefined where the browser cannot read it: another format, packed, a rare encoding. */
export function readColumns(head: Uint8Array, settings: Settings): Columns | undefined {
  const text = isPacked(head) || settings.format !== 'CSV' ? undefined : decode(head, settings.encoding);
  if (text === undefined) return undefined;
  const stated = /^"?sep=([\t -~])"?(?:\r?\n|$)/i.exec(text);
  const lines = text.slice(stated?.[0].length ?? 0).split(/(?<=\r\n|\n|\r(?!\n))/);
  const rows = csvRows(lines.slice(settings.skipLines - (stated ? 1 : 0)).join(''), stated?.[1] ?? settings.delimiter);
  const [first = [], ...rest] = rows;
  const names = settings.header ? first.map((name) => name.trim()) : first.map((_, at) => String(at + 1));
  const shown = (settings.header ? rest : rows).slice(0, shownRows);
  return { names, samples: names.map((_, at) => shown.map((cells) => cells[at] ?? '')) };
}

function decode(head: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding).decode(head);
  } catch {
    // Browsers do not know DOS code pages.
    return undefined;
  }
}
