import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { CustomerFigures } from './buyers.documents.ts';
import { commerceWords as w } from './commerce.words.ts';

type Row = RowOf<ResultOf<typeof CustomerFigures>, 'organizationMetrics'>;

const money = (get: (row: Row) => string) => format.money(get, ({ currency }: Row) => currency);

/** Revenue and orders of the last days. */
export const figures: Column<Row>[] = [
  { key: 'revenue30', label: w.revenue(30), show: money((row) => row.revenue30d) },
  { key: 'revenue90', label: w.revenue(90), show: money((row) => row.revenue90d) },
  { key: 'revenue365', label: w.revenue(365), show: money((row) => row.revenue365d) },
  { key: 'orders30', label: w.orders(30), show: format.number((row) => row.orders30d) },
  { key: 'orders90', label: w.orders(90), show: format.number((row) => row.orders90d) },
  { key: 'orders365', label: w.orders(365), show: format.number((row) => row.orders365d) },
  { key: 'last', label: w.lastOrder, show: format.time((row) => row.lastOrderAt) },
];

/** Revenue and orders of one customer, a row a currency. */
export const figuresOfCustomer = nestedList(CustomerFigures, (data) => data.organizationMetrics, {
  columns: figures,
  open: null,
  empty: w.figuresEmpty,
});
