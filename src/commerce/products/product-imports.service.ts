import { lacksAttribute, requiredAttributes } from '#src/commerce/attributes/attributes.service.ts';
import type { ImportChunk, Merged } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { findIncompleteProducts, writeProducts } from './product-imports.store.ts';

/** Creates the new products of a chunk and updates those that differ. */
export async function mergeProducts(tx: Tx, chunk: ImportChunk): Promise<Merged> {
  const required = await requiredAttributes(tx, chunk.tenantId, 'product');
  const incomplete = required.length > 0 ? await findIncompleteProducts(tx, chunk, required) : [];
  const written = await writeProducts(tx, chunk, required);
  if (written > 0) wakeRelay(tx);
  return { written, refused: incomplete.map((n) => ({ n, field: null, reason: lacksAttribute(required) })) };
}
