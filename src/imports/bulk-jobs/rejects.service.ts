import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Deps } from '#src/infra/deps.ts';

const page = 5_000;

interface Row {
  id: number;
  line: number;
  column: string | null;
  value: string | null;
  reason: string;
}

/** The rejected rows of a job as CSV, one line for each fault, in the file's order. They are read in pages while they are sent. */
export function streamRejects({ database }: Pick<Deps, 'database'>, tenantId: string, jobId: number): Readable {
  async function* rows(): AsyncGenerator<(string | number)[]> {
    for (let last: Row | undefined; ;) {
      const found: Row[] = await database.tenantQuery<Row>(tenantId, {
        name: 'read-import-rejects',
        text: `SELECT id, line, "column", value, reason FROM import_rejects
          WHERE tenant_id = $1 AND job_id = $2 AND (line, id) > ($3, $4) ORDER BY line, id LIMIT ${page}`,
        values: [tenantId, jobId, last?.line ?? -1, last?.id ?? 0],
      });
      for (const { line, column, value, reason } of found)
        yield [line, harmless(column ?? ''), harmless(value ?? ''), reason];
      last = found.at(-1);
      if (found.length < page) return;
    }
  }
  return Readable.from(rows()).pipe(stringify({ header: true, columns: ['line', 'column', 'value', 'reason'] }));
}

/** Text that a spreadsheet would take for a formula; numbers are left alone. */
const harmless = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-?\d+([.,]\d+)?$/.test(text) ? `'${text}` : text;
