import { parse as readCsvRows } from 'csv-parse/sync';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { setOwn } from '#src/automation/expressions/json-value.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode } from './core-node.ts';
import { checkDepth, format, formatLimits, formatOptions, tooLarge } from './formats.ts';
import type { FormatOptions } from './formats.ts';

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

/** Declarations can define entities and refer to external files, so they are refused. */
function refuseDeclarations(text: string): void {
  for (let at = text.indexOf('<!'); at >= 0;) {
    const [end, length] = text.startsWith('<!--', at)
      ? [text.indexOf('-->', at + 4), 3]
      : text.startsWith('<![CDATA[', at)
        ? [text.indexOf(']]>', at + 9), 3]
        : [-2, 0];
    if (end === -2) throw new NodeError('UNREADABLE', 'The XML holds a declaration such as <!DOCTYPE; remove it.');
    if (end === -1) return;
    at = text.indexOf('<!', end + length);
  }
}

const xmlParser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // Article numbers such as 007 and 1e5 are text.
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  // Numeric references are among these.
  htmlEntities: true,
  maxNestedTags: formatLimits.depth,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

/** Elements become members, repeated ones lists, attributes `@name`, text beside them `#text`. Every value is text. */
function parseXml(text: string): unknown {
  refuseDeclarations(text);
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    throw new NodeError('UNREADABLE', `The XML is malformed in line ${valid.err.line}: ${valid.err.msg}`);
  return xmlParser.parse(text) as unknown;
}

function parseJson(text: string): unknown {
  const data = JSON.parse(text) as unknown;
  checkDepth(data);
  return data;
}

export const parseNode = defineNode({
  name: 'parse',
  config: z.object({ format, text: z.string(), options: formatOptions }),
  effect: 'pure',
  execute({ format, text, options }) {
    if (text.length > formatLimits.text) throw tooLarge(`The text has more than ${formatLimits.text} characters.`);
    try {
      const read = { csv: () => parseCsv(text, options), json: () => parseJson(text), xml: () => parseXml(text) };
      return { outputs: { data: read[format]() } };
    } catch (error) {
      if (error instanceof NodeError) throw error;
      const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
      throw new NodeError('UNREADABLE', `The text is not valid ${format.toUpperCase()}: ${reason}`, { cause: error });
    }
  },
});
