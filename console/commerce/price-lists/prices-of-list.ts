import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { PricesOfList } from './price-lists.documents.ts';

type PriceList = NonNullable<ResultOf<typeof PricesOfList>['priceList']>;

const columns: Column<RowOf<PriceList, 'prices'>>[] = [
  member('sku', format.text),
  member('quantityFrom', format.number),
  column(
    'amount',
    format.money(
      (price) => price.amount,
      (price) => price.currency,
    ),
  ),
  member('validFrom', format.exactTime),
  member('validUntil', format.exactTime),
  member('updatedAt', format.time),
];

/** The prices of a list, by SKU. */
export const pricesOfList = nestedList(PricesOfList, (data) => data.priceList?.prices, {
  columns,
  open: null,
  empty: w.noPricesInList,
});
