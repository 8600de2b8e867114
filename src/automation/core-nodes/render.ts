import { stringify as writeCsvRows } from 'csv-stringify/sync';
import { XMLBuilder } from 'fast-xml-parser';
import { z } from 'zod';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode, given } from './core-node.ts';
import { checkDepth, format, formatLimits, formatOptions, tooLarge } from './formats.ts';
import type { FormatOptions } from './formats.ts';

const unwritable = (reason: string): NodeError => new NodeError('UNWRITABLE', reason);

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

const elementName = /^[A-Za-z_][A-Za-z0-9_.-]*(:[A-Za-z_][A-Za-z0-9_.-]*)?$/;

const control = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/u;

/** The writer escapes text but not names, so a name could contain markup. */
function checkNames(value: unknown): void {
  if (typeof value === 'string' && control.test(value)) throw unwritable('XML cannot hold control characters.');
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (Array.isArray(item)) throw unwritable('XML has no lists of lists; name the inner list.');
      checkNames(item);
    }
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const isAttribute = key.startsWith('@');
    if (key !== '#text' && !elementName.test(isAttribute ? key.slice(1) : key)) {
      throw unwritable(`"${key.slice(0, 64)}" cannot be the name of an XML element or attribute.`);
    }
    if (isAttribute && typeof member === 'object' && member !== null) {
      throw unwritable(`The attribute ${key.slice(0, 64)} takes text only.`);
    }
    checkNames(member);
  }
}

const xmlBuilder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  processEntities: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/** An object with one member becomes that element; anything else is wrapped in an element `root`. */
function renderXml(data: unknown, { root }: FormatOptions): string {
  const isDocument =
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data) &&
    Object.keys(data).length === 1 &&
    !Array.isArray(Object.values(data)[0]) &&
    elementName.test(Object.keys(data)[0] ?? '');
  const document = isDocument ? data : { [root]: Array.isArray(data) ? { item: data } : data };
  checkNames(document);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlBuilder.build(document)}`;
}

export const renderNode = defineNode({
  name: 'render',
  config: z.object({ format, data: given, options: formatOptions }),
  effect: 'pure',
  execute({ format, data, options }) {
    checkDepth(data);
    const write = {
      csv: () => renderCsv(data, options),
      json: () => JSON.stringify(data),
      xml: () => renderXml(data, options),
    };
    const text = write[format]();
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    return { outputs: { text } };
  },
});
