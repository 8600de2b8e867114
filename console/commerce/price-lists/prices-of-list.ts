import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column } from '#console/ui/screens/columns.ts';
import { type Column, nestedList, type RowOf } from '#console/ui/screens/screen.ts';
import { PricesOfList } from './price-lists.documents.ts';

type PriceList = NonNullable<ResultOf<typeof PricesOfList>['priceList']>;

const columns: Column<RowOf<PriceList, 'prices'>>[] = [
  column(
    'sku',
    format.text((price) => price.sku),
  ),
  column(
    'quantityFrom',
    format.number((price) => price.quantityFrom),
  ),
  column(
    'amount',
    format.money(
      (price) => price.amount,
      (price) => price.currency,
    ),
  ),
  column(
    'validFrom',
    format.exactTime((price) => price.validFrom),
  ),
  column(
    'validUntil',
    format.exactTime((price) => price.validUntil),
  ),
  column(
    'updatedAt',
    format.time((price) => price.updatedAt),
  ),
];

/** The prices of a list, by SKU. */
export const pricesOfList = nestedList(PricesOfList, (data) => data.priceList?.prices, {
  columns,
  open: null,
  empty: w.noPricesInList,
});
