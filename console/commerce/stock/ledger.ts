import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { compare } from '#console/commerce/exact.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { StockLedger } from './stock.documents.ts';

/** Nothing where nothing changed. */
const changed = (delta: string) => (compare(delta, '0') === 0 ? null : delta);

const columns: Column<RowOf<ResultOf<typeof StockLedger>, 'stockMovements'>>[] = [
  column(
    'occurredAt',
    format.exactTime((movement) => movement.occurredAt),
  ),
  column(
    'kind',
    format.word((movement) => movement.kind),
  ),
  { key: 'delta', label: w.change, show: format.number((movement) => changed(movement.delta)) },
  {
    key: 'reservedDelta',
    label: w.reservedChange,
    show: format.number((movement) => changed(movement.reservedDelta)),
  },
  column(
    'location',
    format.text((movement) => movement.location),
  ),
  column(
    'reference',
    format.handle((movement) => movement.reference),
  ),
  column(
    'reservation',
    format.handle((movement) => movement.reservation),
  ),
  column(
    'expiresAt',
    format.exactTime((movement) => movement.expiresAt),
  ),
  column(
    'note',
    format.text((movement) => movement.note),
  ),
];

/** The movements of an article, the latest first. */
export const ledger = nestedList(StockLedger, (data) => data.stockMovements, {
  columns,
  open: null,
  empty: w.ledgerEmpty,
});
