import { stringify } from 'csv-stringify/sync';
import { encode } from './encode.ts';
import { FileFault } from './file-fault.ts';
import { withApostrophe } from './formulas.ts';
import type { Writer } from './written.ts';

/** CSV with a header; the database itself writes the rows. */
export const csvWriter: Writer = {
  mediaType: 'text/csv',
  copies: 'csv',
  isForSpreadsheets: true,
  check({ delimiter }) {
    if (delimiter.charCodeAt(0) > 127) throw new FileFault('Exports take a delimiter of ASCII, such as ";".');
  },
  async *write(copied, { columns, delimiter, encoding }) {
    const header = stringify([columns.map(({ name }) => withApostrophe(name))], { delimiter });
    async function* whole(): AsyncGenerator<Buffer> {
      yield Buffer.from(header);
      yield* copied;
    }
    yield* encode(whole(), encoding);
  },
};
