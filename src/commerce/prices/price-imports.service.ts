import { manyDue, type Merged, type MergedChunk, type SurveyedChunk } from '#src/imports/targets/target.ts';
import { expectsMany } from '#src/infra/postgres/statements/plans.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import {
  changePrices,
  findRefusedPrices,
  holdPriceLists,
  leaveTrace,
  noneWritten,
  surveyPrices,
  writePrices,
  type Written,
} from './price-imports.store.ts';

const nothing: SurveyedChunk = { accepted: 0, unchanged: 0, due: null, fresh: 0 };

/**
 * Writes the prices of a chunk that differ from the stored ones. Rows are checked one by one only if the survey refused some, or if lists
 * or products were deleted since.
 */
export async function mergePrices(tx: Tx, chunk: MergedChunk, surveyed?: SurveyedChunk): Promise<Merged> {
  const [found = nothing] = surveyed ? [surveyed] : await surveyPrices(tx, chunk, chunk.upTo - chunk.after);
  await holdPriceLists(tx, chunk);
  const isClear = found.accepted - found.unchanged === manyDue(found);
  const refused = isClear ? [] : await findRefusedPrices(tx, chunk);
  if (found.due === null) return { written: 0, refused };
  // When Postgres expects few prices, it would compare each row with all of them.
  const isChange = found.due === 'all' && (await expectsMany(tx, 'prices'));
  const changed = isChange ? await changePrices(tx, chunk) : noneWritten;
  if (changed.written > 0 && changed.written === manyDue(found)) {
    await traceUnheard(tx, chunk, [changed]);
    return { written: changed.written, refused };
  }
  // Other transactions have changed or deleted some since they were read.
  const added = await writePrices(tx, chunk, { numbers: found.due, refused });
  await traceUnheard(tx, chunk, [changed, added]);
  const written = changed.written + added.written;
  return { written, refused: isClear && added.given < manyDue(found) ? await findRefusedPrices(tx, chunk) : refused };
}

async function traceUnheard(
  tx: Tx,
  { tenantId, hasSubscribers }: MergedChunk,
  statements: readonly Written[],
): Promise<void> {
  if (hasSubscribers) return;
  const ids = statements.flatMap(({ firstId, lastId }) =>
    firstId === null || lastId === null ? [] : [firstId, lastId],
  );
  if (ids.length > 0) await leaveTrace(tx, tenantId, { firstId: Math.min(...ids), lastId: Math.max(...ids) });
}
