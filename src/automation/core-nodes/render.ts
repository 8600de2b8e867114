import { stringify as writeCsvRows } from 'csv-stringify/sync';
import { z } from 'zod';
import {
  checkDepth,
  format,
  formatLimits,
  formatOptions,
  tooLarge,
  unwritable,
  type FormatOptions,
} from '#src/automation/formats/formats.ts';
import { asList } from '#src/automation/node-api/list-fields.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode } from './core-node.ts';

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isObject = (row: unknown): boolean => typeof row === 'object' && row !== null && !Array.isArray(row);

/**
 * A list of objects, with the columns of all of them in the order they first appear, or a list of lists. One object is a list of
 * one, and nothing an empty list.
 */
function renderCsv(given: unknown, { delimiter, header }: FormatOptions): string {
  const data = asList(given);
  if (data.length > formatLimits.rows) throw tooLarge(`A CSV text has at most ${formatLimits.rows} rows.`);
  const isList = data.every((row) => Array.isArray(row));
  if (!isList && !data.every(isObject)) {
    throw unwritable('CSV is written from a list of objects, or from a list of lists.');
  }
  const columns = isList ? [] : [...new Set(data.flatMap((row) => Object.keys(row as object)))];
  if (data.length * columns.length > formatLimits.cells)
    throw tooLarge(`A CSV text has at most ${formatLimits.cells} cells.`);
  const rows = isList
    ? data.map((row) => row.map(cell))
    : (data as Record<string, unknown>[]).map((row) =>
        columns.map((column) => cell(Object.hasOwn(row, column) ? row[column] : undefined)),
      );
  return writeCsvRows(header && columns.length > 0 ? [columns, ...rows] : rows, { delimiter });
}

export const renderNode = defineNode({
  name: 'render',
  config: z.object({ format, data: z.unknown().optional(), options: formatOptions }),
  effect: 'pure',
  async execute({ format, data, options }) {
    if (data === undefined && format !== 'csv') throw new NodeError('INVALID_CONFIG', 'config.data: is required.');
    checkDepth(data);
    const write = {
      csv: () => renderCsv(data, options),
      json: () => JSON.stringify(data),
      // See `parse`.
      xml: async () => (await import('#src/automation/formats/render-xml.ts')).renderXml(data, options),
    };
    const text = await write[format]();
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    return { outputs: { text } };
  },
});
