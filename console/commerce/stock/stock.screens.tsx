import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { compare } from '#console/commerce/exact.ts';
import { articles } from '#console/commerce/lookups.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { ledger } from './ledger.ts';
import { BookMovement, SetReorderPoint, StockPage, Stocks, TransferStock } from './stock.documents.ts';

type Row = RowOf<ResultOf<typeof Stocks>, 'stocks'>;
type Balance = Pick<Row, 'onHand' | 'reserved' | 'available' | 'reorderPoint'>;

const isLow = ({ available, reorderPoint }: Balance) => reorderPoint !== null && compare(available, reorderPoint) < 0;

/** An article is low where any of its locations is. */
const levelOf = ({ locations }: Row) => (locations.some(isLow) ? 'LOW' : '');

const balanceColumns: Column<Balance>[] = [
  member('onHand', format.number, '112px'),
  member('reserved', format.number, '112px'),
  member('available', format.number, '112px'),
  member('reorderPoint', format.number, '128px'),
];

const bookFields = ['kind', 'quantity', 'location', 'reference', 'reservation', 'expiresAt', 'occurredAt', 'note'];
const transferFields = ['from', 'to', 'quantity', 'reference', 'occurredAt', 'note'];

const lookups = { sku: articles };

const stockList = list('stocks', Stocks, {
  columns: [
    column(
      'sku',
      format.text((stock) => stock.sku),
      'minmax(128px, 2fr)',
    ),
    ...balanceColumns,
    { key: 'state', label: w.state, show: format.state(levelOf), width: '112px' },
    {
      key: 'locations',
      label: w.locations,
      show: format.text(({ locations }) => locations.map((at) => at.location).join(', ')),
      width: 'minmax(112px, 2fr)',
    },
  ],
  orders: { sku: 'SKU' },
  actions: [
    {
      key: 'book',
      label: w.book,
      document: BookMovement,
      form: { fields: ['sku', ...bookFields], lookups, initial: () => ({ kind: 'RECEIPT' }) },
      done: w.booked,
    },
    {
      key: 'transfer',
      label: w.transfer,
      document: TransferStock,
      form: { fields: ['sku', ...transferFields], lookups },
      done: w.transferred,
    },
  ],
  empty: w.stockEmpty,
});

const locationColumns: Column<Row['locations'][number]>[] = [
  member('location', format.text),
  ...balanceColumns,
  { key: 'state', label: w.state, show: format.state((at) => (isLow(at) ? 'LOW' : '')) },
];

/** The SKU in the global id of a stock. */
const skuOf = (id: string) =>
  new TextDecoder().decode(Uint8Array.from(atob(id), (character) => character.charCodeAt(0))).replace(/^Stock:/, '');

const stockPage = detail('stock', StockPage, {
  variables: (id) => ({ sku: skuOf(id) }),
  title: (stock) => w.stock(stock.sku),
  state: levelOf,
  facts: [
    ...balanceColumns,
    {
      key: 'article',
      label: w.article,
      show: {
        text: (stock) => stock.sku,
        draw: ({ sku }) => (
          <ListLink noun="products" search={{ q: sku }}>
            {sku}
          </ListLink>
        ),
      },
    },
  ],
  sections: [
    {
      key: 'locations',
      title: w.locations,
      draw: (stock) => <Table rows={stock.locations} columns={locationColumns} label={w.locations} />,
    },
    {
      key: 'ledger',
      title: w.ledger,
      draw: ({ sku }) => <NestedList screen={ledger} variables={{ sku }} label={w.ledger} />,
    },
  ],
  actions: [
    {
      key: 'book',
      label: w.book,
      document: BookMovement,
      allowed: (stock) => stock.viewerCan.book,
      input: ({ sku }) => ({ sku }),
      form: { fields: bookFields, initial: () => ({ kind: 'RECEIPT' }) },
      done: w.booked,
    },
    {
      key: 'transfer',
      label: w.transfer,
      document: TransferStock,
      allowed: (stock) => stock.viewerCan.transfer,
      input: ({ sku }) => ({ sku }),
      form: {
        fields: transferFields,
        choices: { from: ({ locations }) => locations.map(({ location }) => ({ value: location, label: location })) },
      },
      done: w.transferred,
    },
    {
      key: 'reorder',
      label: w.setReorderPoint,
      document: SetReorderPoint,
      allowed: (stock) => stock.viewerCan.setReorderPoint,
      input: ({ sku }) => ({ sku }),
      form: {
        fields: ['location', 'reorderPoint'],
        initial: ({ locations: [first] }) => ({
          location: first?.location ?? 'main',
          ...(first?.reorderPoint && { reorderPoint: first.reorderPoint }),
        }),
      },
      done: w.reorderPointSet,
    },
  ],
});

export const stock: Screens = { list: stockList, detail: stockPage };
