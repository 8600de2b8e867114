import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { articles } from '#console/commerce/lookups.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  CreatePriceList,
  DeletePriceList,
  PriceListPage,
  PriceLists,
  UpdatePriceList,
  UpsertPrice,
} from './price-lists.documents.ts';
import { pricesOfList } from './prices-of-list.ts';

type Row = RowOf<ResultOf<typeof PriceLists>, 'priceLists'>;

const scopes: Column<Row>[] = [
  member('currency', format.text, '80px'),
  member('priority', format.number, '80px'),
  column(
    'customer',
    format.text((list) => list.customer),
    'minmax(80px, 1fr)',
  ),
  column(
    'channel',
    format.text((list) => list.channel),
    'minmax(80px, 1fr)',
  ),
  column(
    'market',
    format.text((list) => list.market),
    'minmax(80px, 1fr)',
  ),
];

const times: Column<Row>[] = [member('validFrom', format.exactTime), member('validUntil', format.exactTime)];

const changeable = ['name', 'priority', 'customer', 'channel', 'market', 'validFrom', 'validUntil'] as const;

const lookups = { customer: { noun: 'customers', by: 'customerNumber' } };

const priceListList = list('priceLists', PriceLists, {
  columns: [
    column(
      'code',
      format.text((list) => list.code),
      'minmax(96px, 1fr)',
    ),
    column(
      'name',
      format.text((list) => list.name),
      'minmax(128px, 2fr)',
    ),
    ...scopes,
    ...times,
  ],
  orders: { code: 'CODE' },
  actions: [
    {
      key: 'create',
      label: w.newPriceList,
      creates: true,
      document: CreatePriceList,
      form: { fields: ['code', 'currency', 'taxIncluded', ...changeable], lookups },
      done: w.priceListCreated,
      opens: (payload) => ({ noun: 'price-lists', id: (payload['priceList'] as { id: string }).id }),
    },
  ],
  empty: w.priceListsEmpty,
});

const priceListPage = detail('priceList', PriceListPage, {
  title: (list) => list.name,
  facts: [
    member('code', format.handle),
    member('taxIncluded', format.flag),
    ...scopes,
    ...times,
    member('createdAt', format.exactTime),
    member('updatedAt', format.exactTime),
  ],
  sections: [
    {
      key: 'prices',
      title: w.prices,
      draw: ({ id }) => <NestedList screen={pricesOfList} variables={{ id }} label={w.prices} />,
    },
  ],
  actions: [
    {
      key: 'price',
      label: w.setPrice,
      document: UpsertPrice,
      allowed: (list) => list.viewerCan.update,
      input: ({ code }) => ({ list: code }),
      form: { fields: ['sku', 'amount', 'quantityFrom', 'validFrom', 'validUntil'], lookups: { sku: articles } },
      done: w.priceSet,
    },
    {
      key: 'edit',
      saves: true,
      label: w.edit,
      document: UpdatePriceList,
      allowed: (list) => list.viewerCan.update,
      form: { fields: changeable, lookups, initial: valuesOf(...changeable) },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deletePriceList,
      document: DeletePriceList,
      allowed: (list) => list.viewerCan.delete,
      confirm: (list) => w.deletePriceListConfirm(list.code),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const priceLists: Screens = { list: priceListList, detail: priceListPage };
