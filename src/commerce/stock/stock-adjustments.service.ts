import type { ImportChunk, Merged, RefusedRow } from '#src/imports/targets/target.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { sendGroups } from './booking.service.ts';
import { readAdjustments } from './stock-imports.store.ts';

/** Books the rows of a chunk as adjustments, each based on the result of those before it; a row that cannot be booked is refused alone. */
export async function adjustStock(tx: Tx, chunk: ImportChunk): Promise<Merged> {
  const rows = await readAdjustments(tx, chunk);
  const changing = rows.filter(({ quantity }) => !/^-?0+(\.0+)?$/.test(quantity));
  const occurredAt = chunk.options.asOf === null ? null : new Date(chunk.options.asOf);
  const { booked } = await sendGroups(
    tx,
    chunk.tenantId,
    changing.map(({ line, sku, location, quantity }) => [
      { kind: 'adjustment', sku, location, quantity, occurredAt, reference: `import:${chunk.jobId}:${line}` },
    ]),
  );
  const answers = await booked.result;
  const refused = answers.flatMap((answer, index): RefusedRow[] => {
    if (!(answer instanceof AppError)) return [];
    const [[field, [reason]] = ['quantity', [answer.message]]] = Object.entries(
      answer instanceof ValidationError ? answer.fields : {},
    );
    return [{ n: changing[index]?.n ?? 0, field, reason: reason ?? answer.message }];
  });
  return { written: changing.length - refused.length, refused };
}
