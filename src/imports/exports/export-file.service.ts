import { Readable } from 'node:stream';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { ExportTarget } from '#src/imports/targets/export-target.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { latestReads } from '#src/infra/postgres/database.ts';
import type { StoredObject } from '#src/infra/storage/storage.ts';
import { layOut } from './export-layout.rules.ts';
import { copyStatement, countStatement } from './export-rows.store.ts';
import type { KeptExport } from './exports.inputs.ts';

/** Bytes of an export's file, at most. */
const maxBytes = 4 * 1024 * 1024 * 1024;
/** How often progress is reported. */
const progressMs = 1_000;

/**
 * Streams the tenant's rows from one database snapshot into storage, in constant memory. `onProgress` is called with
 * the rows sent and the total, and ends the export by throwing. Throws FileFault where the file cannot be written.
 */
export async function storeExport(
  { database, storage }: Pick<Deps, 'database' | 'storage'>,
  {
    tenantId,
    target,
    kept,
    onProgress,
  }: {
    tenantId: string;
    target: ExportTarget;
    kept: KeptExport;
    onProgress: (rows: number, of: number) => Promise<void>;
  },
): Promise<{ stored: StoredObject; rows: number }> {
  const reads = latestReads(database, tenantId);
  const layout = layOut(target, kept);
  const { writer, columns } = layout;
  const [counted] = await reads.tenantQuery<{ rows: number }>(tenantId, { text: countStatement(target, layout) });
  const count = rowCounter(writer.copies, kept.quote);
  let rows = 0;
  async function* copied(): AsyncGenerator<Buffer> {
    let toldAt = Date.now();
    for await (const chunk of reads.copyOut(tenantId, copyStatement(target, layout, kept))) {
      rows += count(chunk);
      if (Date.now() - toldAt >= progressMs) {
        toldAt = Date.now();
        await onProgress(rows, counted?.rows ?? 0);
      }
      yield chunk;
    }
  }
  const written = writer.write(copied(), {
    ...kept,
    columns: columns.map(({ name, cell: { type } }) => ({ name, type })),
  });
  try {
    return { stored: await storage.put(Readable.from(written, { objectMode: false }), { maxBytes }), rows };
  } catch (error) {
    if (error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE')
      throw new FileFault(`The file would have more than ${maxBytes} bytes. Export parts of it by a filter.`);
    throw error;
  }
}

const lineBreak = 0x0a;

/** Counts the rows that end in each chunk of what COPY sends. In CSV, a line break within quotes ends none. */
function rowCounter(copies: 'csv' | 'text', mark: string): (chunk: Buffer) => number {
  const quote = mark.charCodeAt(0);
  let isQuoted = false;
  return (chunk) => {
    let rows = 0;
    // An iterator over the bytes takes several times as long.
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === quote && copies === 'csv') isQuoted = !isQuoted;
      else if (byte === lineBreak && !isQuoted) rows += 1;
    }
    return rows;
  };
}
