import { stringify as writeCsvRows } from 'csv-stringify/sync';
import { z } from 'zod';
import { defineNode, given } from './core-node.ts';
import { checkDepth, format, formatLimits, formatOptions, tooLarge, unwritable } from './formats.ts';
import type { FormatOptions } from './formats.ts';

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** A list of objects, with the columns of all of them in the order they first appear, or a list of lists. */
function renderCsv(data: unknown, { delimiter, header }: FormatOptions): string {
  if (!Array.isArray(data)) throw unwritable('CSV is written from a list.');
  if (data.length > formatLimits.rows) throw tooLarge(`A CSV text has at most ${formatLimits.rows} rows.`);
  const isList = data.every((row) => Array.isArray(row));
  if (!isList && !data.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) {
    throw unwritable('CSV is written from a list of objects, or from a list of lists.');
  }
  const columns = isList ? [] : [...new Set(data.flatMap((row: object) => Object.keys(row)))];
  if (data.length * columns.length > formatLimits.cells)
    throw tooLarge(`A CSV text has at most ${formatLimits.cells} cells.`);
  const rows = isList
    ? data.map((row: unknown[]) => row.map(cell))
    : data.map((row: Record<string, unknown>) =>
        columns.map((column) => cell(Object.hasOwn(row, column) ? row[column] : undefined)),
      );
  return writeCsvRows(header && columns.length > 0 ? [columns, ...rows] : rows, { delimiter });
}

export const renderNode = defineNode({
  name: 'render',
  config: z.object({ format, data: given, options: formatOptions }),
  effect: 'pure',
  async execute({ format, data, options }) {
    checkDepth(data);
    const write = {
      csv: () => renderCsv(data, options),
      json: () => JSON.stringify(data),
      // As in `parse`.
      xml: async () => (await import('./render-xml.ts')).renderXml(data, options),
    };
    const text = await write[format]();
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    return { outputs: { text } };
  },
});
