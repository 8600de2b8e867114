import { addAbortSignal, Readable } from 'node:stream';
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
import type { TableValue } from '#src/automation/formats/write-workbook.ts';
import { readConfig } from '#src/automation/node-api/builtin-node.ts';
import { fileReference } from '#src/automation/node-api/file-reference.ts';
import { asList } from '#src/automation/node-api/list-fields.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { defineNode } from './core-node.ts';

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isObject = (row: unknown): boolean => typeof row === 'object' && row !== null && !Array.isArray(row);

const tableValue = (value: unknown): TableValue =>
  typeof value === 'number' || typeof value === 'boolean' ? value : value == null ? null : cell(value);

async function renderXlsx(data: unknown, { header, sheet }: FormatOptions): Promise<Readable> {
  const { columns, rows } = toTable(data, 'A workbook', tableValue);
  const width = Math.max(0, ...rows.map((row) => row.length));
  const names = columns.length > 0 ? columns : Array.from({ length: width }, () => '');
  const { renderWorkbook } = await import('#src/automation/formats/write-workbook.ts');
  return renderWorkbook(names, rows, { header: header && columns.length > 0, sheet: sheet ?? null });
}

const packedFiles = z.array(fileReference).max(1_000);

async function renderZip(data: unknown, files: FilesPort): Promise<Readable> {
  const references = readConfig(z.object({ data: packedFiles }), { data: asList(data) });
  return (await import('#src/automation/formats/zip.ts')).zip(references.data, files);
}

/** Default names and the media types of the files that the node writes. */
const written = {
  csv: { name: 'data.csv', type: 'text/csv; charset=utf-8' },
  json: { name: 'data.json', type: 'application/json' },
  xml: { name: 'data.xml', type: 'application/xml' },
  xlsx: { name: 'data.xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  zip: { name: 'files.zip', type: 'application/zip' },
};

/**
 * A list of objects, with the columns of all of them in the order they first appear, or a list of lists. One object is a list of
 * one, and nothing an empty list.
 */
function renderCsv(given: unknown, { delimiter, header }: FormatOptions): string {
  const { columns, rows } = toTable(given, 'CSV', cell);
  return writeCsvRows(header && columns.length > 0 ? [columns, ...rows] : rows, { delimiter });
}

function toTable<T>(given: unknown, format: string, toCell: (value: unknown) => T): { columns: string[]; rows: T[][] } {
  const data = asList(given);
  if (data.length > formatLimits.rows) throw tooLarge(`${format} is written from at most ${formatLimits.rows} rows.`);
  const isList = data.every((row) => Array.isArray(row));
  if (!isList && !data.every(isObject)) {
    throw unwritable(`${format} is written from a list of objects, or from a list of lists.`);
  }
  const columns = isList ? [] : [...new Set(data.flatMap((row) => Object.keys(row as object)))];
  if (data.length * columns.length > formatLimits.cells)
    throw tooLarge(`${format} is written from at most ${formatLimits.cells} cells.`);
  const rows = isList
    ? data.map((row) => row.map(toCell))
    : (data as Record<string, unknown>[]).map((row) =>
        columns.map((column) => toCell(Object.hasOwn(row, column) ? row[column] : undefined)),
      );
  return { columns, rows };
}

export const renderNode = defineNode({
  name: 'render',
  config: z.object({
    format,
    data: z.unknown().optional(),
    file_name: z.string().max(255).nullish(),
    options: formatOptions,
  }),
  effect: 'pure',
  uses: ['files'],
  async execute({ format, data, file_name: name, options }, { ports: { files }, signal }) {
    if (data === undefined && format !== 'csv') throw new NodeError('INVALID_CONFIG', 'config.data: is required.');
    checkDepth(data);
    const save = async (content: Readable) => {
      const file = { name: name == null || name === '' ? written[format].name : name, type: written[format].type };
      return { outputs: { file: await files.create(file, addAbortSignal(signal, content)) } };
    };
    if (format === 'xlsx') return save(await renderXlsx(data, options));
    if (format === 'zip') return save(await renderZip(data, files));
    const write = {
      csv: () => renderCsv(data, options),
      json: () => JSON.stringify(data),
      // See `parse`.
      xml: async () => (await import('#src/automation/formats/render-xml.ts')).renderXml(data, options),
    };
    const text = await write[format]();
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    return name == null || name === '' ? { outputs: { text } } : save(Readable.from([Buffer.from(text)]));
  },
});
