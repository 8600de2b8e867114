import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { compare } from '#console/commerce/exact.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { StockLedger } from './stock.documents.ts';

/** Nothing where nothing changed. */
const changed = (delta: string) => (compare(delta, '0') === 0 ? null : delta);

const columns: Column<RowOf<ResultOf<typeof StockLedger>, 'stockMovements'>>[] = [
  member('occurredAt', format.exactTime),
  member('kind', format.word),
  { key: 'delta', label: w.change, show: format.number((movement) => changed(movement.delta)) },
  {
    key: 'reservedDelta',
    label: w.reservedChange,
    show: format.number((movement) => changed(movement.reservedDelta)),
  },
  member('location', format.text),
  member('reference', format.handle),
  member('reservation', format.handle),
  member('expiresAt', format.exactTime),
  member('note', format.text),
];

/** The movements of an article, the latest first. */
export const ledger = nestedList(StockLedger, (data) => data.stockMovements, {
  columns,
  open: null,
  empty: w.ledgerEmpty,
});
