import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parse as readCsvRows } from 'csv-parse/sync';
import { z } from 'zod';
import { setOwn } from '#src/automation/expressions/json-value.ts';
import {
  checkDepth,
  format,
  formatLimits,
  formatOptions,
  tooLarge,
  type FormatOptions,
} from '#src/automation/formats/formats.ts';
import { fileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenFile } from '#src/automation/node-api/ports.ts';
import { declaredText } from '#src/infra/text/declared-charset.ts';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import { defineNode } from './core-node.ts';

/**
 * Throws for a row of more columns than a sheet can have. The parser takes two seconds of processor time for a row of a million, during
 * which the process could renew no lease; the rows are counted in a hundredth of that.
 */
function assertColumns(text: string, delimiter: string): void {
  const [separator, quote, lineFeed, carriageReturn] = [delimiter.charCodeAt(0), 0x22, 0x0a, 0x0d];
  let columns = 1;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === lineFeed || character === carriageReturn) columns = 1;
    else if (character === separator) {
      columns += 1;
      if (columns > formatLimits.columns) throw tooLarge(`A row of CSV has at most ${formatLimits.columns} columns.`);
    }
  }
}

/** A list of objects by column name, or of lists when there is no header. Every value is text. */
function parseCsv(text: string, { delimiter, header }: FormatOptions): unknown {
  assertColumns(text, delimiter);
  const rows: string[][] = readCsvRows(text, {
    delimiter,
    bom: true,
    skip_empty_lines: true,
    to: formatLimits.rows + 2,
  });
  const [names = []] = rows;
  const data = header ? rows.slice(1) : rows;
  if (data.length > formatLimits.rows) throw tooLarge(`A CSV text has at most ${formatLimits.rows} rows.`);
  if (data.length * names.length > formatLimits.cells)
    throw tooLarge(`A CSV text has at most ${formatLimits.cells} cells.`);
  if (!header) return data;
  if (new Set(names).size < names.length) throw new NodeError('UNREADABLE', 'The CSV header names a column twice.');
  return data.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) setOwn(record, name, row[index]);
    return record;
  });
}

function parseJson(text: string): unknown {
  const data = parseExact(text);
  checkDepth(data);
  return data;
}

const isPacked = (format: string): boolean => format === 'xlsx' || format === 'zip';

/** The text of a file, decoded by its media type like an HTTP answer. */
async function readText({ size, type, stream: open }: OpenFile, signal: AbortSignal): Promise<string> {
  // A character of UTF-8 has at most four bytes. The characters are counted after decoding.
  if (size > formatLimits.text * 4) throw tooLarge(`The file has more than ${formatLimits.text} characters.`);
  const text = declaredText(await buffer(addAbortSignal(signal, await open())), type);
  if (text !== undefined) return text;
  throw new NodeError('UNREADABLE', `The file is not text in the encoding of its type, ${type}.`);
}

/** Loaded with the first XML: reading the library would be a thirtieth of the processor time of each start. */
const readXml = async (text: string, options: FormatOptions): Promise<unknown> =>
  (await import('#src/automation/formats/parse-xml.ts')).parseXml(text, options);

export const parseNode = defineNode({
  name: 'parse',
  config: z.object({
    format,
    text: z.union([z.string(), fileReference], 'must be text or a file reference.'),
    options: formatOptions,
  }),
  effect: 'pure',
  uses: ['files'],
  async execute({ format, text: source, options }, { ports, signal }) {
    if (typeof source === 'string' && isPacked(format))
      throw new NodeError('INVALID_CONFIG', `config.text: must be a file reference, as ${format} is not text.`);
    const file = typeof source === 'string' ? undefined : await ports.files.open(source);
    const text = typeof source === 'string' ? source : isPacked(format) ? '' : await readText(file as OpenFile, signal);
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    const open = async () => addAbortSignal(signal, await (file as OpenFile).stream());
    try {
      const read = {
        xlsx: async () =>
          (await import('#src/automation/formats/read-workbook.ts')).parseWorkbook(await open(), options),
        zip: async () => (await import('#src/automation/formats/zip.ts')).unzip(await open(), ports.files, signal),
        csv: () => parseCsv(text, options),
        json: () => parseJson(text),
        xml: () => readXml(text, options),
      };
      return { outputs: { data: await read[format]() } };
    } catch (error) {
      if (error instanceof NodeError || signal.aborted) throw error;
      const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
      throw new NodeError(
        'UNREADABLE',
        `The ${file ? 'file' : 'text'} is not valid ${format.toUpperCase()}: ${reason}`,
        { cause: error },
      );
    }
  },
});
