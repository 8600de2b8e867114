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
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import { defineNode } from './core-node.ts';

/** A list of objects by column name, or of lists when there is no header. Every value is text. */
function parseCsv(text: string, { delimiter, header }: FormatOptions): unknown {
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

/** Loaded with the first XML: reading the library would be a thirtieth of the processor time of each start. */
const readXml = async (text: string, options: FormatOptions): Promise<unknown> =>
  (await import('#src/automation/formats/parse-xml.ts')).parseXml(text, options);

export const parseNode = defineNode({
  name: 'parse',
  config: z.object({ format, text: z.string(), options: formatOptions }),
  effect: 'pure',
  async execute({ format, text, options }) {
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    try {
      const read = {
        csv: () => parseCsv(text, options),
        json: () => parseJson(text),
        xml: () => readXml(text, options),
      };
      return { outputs: { data: await read[format]() } };
    } catch (error) {
      if (error instanceof NodeError) throw error;
      const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
      throw new NodeError('UNREADABLE', `The text is not valid ${format.toUpperCase()}: ${reason}`, { cause: error });
    }
  },
});
