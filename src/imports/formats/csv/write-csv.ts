import { stringify } from 'csv-stringify/sync';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { Writer } from '#src/imports/formats/records/written.ts';
import { withApostrophe } from '#src/imports/formats/tables/formulas.ts';
import { encode } from '#src/imports/formats/text/encode.ts';

/** CSV; the database itself writes the rows. */
export const csvWriter: Writer = {
  mediaType: 'text/csv',
  copies: 'csv',
  isForSpreadsheets: true,
  check({ delimiter, quote }) {
    if (quote === '') throw new FileFault('Exports need a quote, such as ", for text that holds the delimiter.');
    if (delimiter.charCodeAt(0) > 127) throw new FileFault('Exports take a delimiter of ASCII, such as ";".');
  },
  async *write(copied, { columns, delimiter, quote, header: isNamed, skipLines, encoding }) {
    const names = columns.map(({ name }) => withApostrophe(name));
    const header = isNamed ? stringify([names], { delimiter, quote, escape: quote }) : '';
    async function* whole(): AsyncGenerator<Buffer> {
      yield Buffer.from('\n'.repeat(skipLines) + header);
      yield* copied;
    }
    yield* encode(whole(), encoding);
  },
};
