import { percent } from '#console/commerce/percent.ts';
import * as format from '#console/ui/formats.tsx';
import { ListLink, ObjectLink } from '#console/ui/object-link.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { Facts } from '#console/ui/screens/facts.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { moneyText, numberText } from '#console/words/values.ts';
import type { Order } from './order-actions.ts';
import { findNext } from './order-next.ts';
import { orderWords as w } from './orders.words.ts';

type Position = Order['positions'][number];

/** What the price of a line was asked for, as the address of its explanation holds it. */
const priceQuestion = (order: Order, { sku, quantity }: Position): Record<string, string> => ({
  sku,
  quantity,
  currency: order.currency,
  ...(order.organization && { customer: order.organization.customerNumber }),
  ...(order.channel !== null && { channel: order.channel }),
  at: order.placedAt ?? order.createdAt,
});

const drawPrice = (question: Record<string, string>, text: string) => (
  <ListLink noun="prices" search={question} title={w.whyPrice}>
    {text}
  </ListLink>
);

/** The lines of an order. A column that no line has a value in is left out. */
export function Positions({ order }: { order: Order }) {
  const { positions, currency } = order;
  const money = (get: (position: Position) => string) => format.money(get, () => currency);
  const unitPriceText = ({ unitPrice, taxIncluded }: Position) =>
    `${moneyText(unitPrice, currency)}${taxIncluded ? ` ${w.taxIncluded}` : ''}`;
  const all: Column<Position>[] = [
    member('sku', format.text),
    member('name', format.text),
    member('buyerArticleNumber', format.text),
    member('quantity', format.number),
    column('unitPrice', {
      ...money(({ unitPrice }) => unitPrice),
      text: unitPriceText,
      draw: (position) => drawPrice(priceQuestion(order, position), unitPriceText(position)),
    }),
    column(
      'taxRate',
      percent((position) => position.taxRate),
    ),
    { key: 'lineTotal', label: w.lineNet, show: money((position) => position.lineTotal) },
    member('location', format.text),
    member('costCentre', format.text),
    column(
      'reserved',
      format.number((position) => nonZero(position.reserved)),
    ),
    column(
      'shipped',
      format.number((position) => nonZero(position.shipped)),
    ),
    column(
      'returned',
      format.number((position) => nonZero(position.returned)),
    ),
    member('text', format.text),
  ];
  const columns = all.filter(({ show }) => positions.some((position) => !['', '–'].includes(show.text(position))));
  return <Table rows={positions} columns={columns} label={w.positions} />;
}

const nonZero = (amount: string) => (/^0(\.0*)?$/.test(amount) ? null : amount);

/** Net, tax and gross of each rate, and of the order. */
export function Taxes({ order: { taxes, totals, currency } }: { order: Order }) {
  const rows = [...taxes.map((tax) => ({ ...tax, label: `${numberText(tax.rate)} %` })), { ...totals, label: w.total }];
  type Row = (typeof rows)[number];
  const money = (get: (row: Row) => string) => format.money(get, () => currency);
  const columns: Column<Row>[] = [
    { key: 'rate', label: w.rate, show: format.text((row) => row.label) },
    { key: 'net', label: w.net, show: money((row) => row.net) },
    { key: 'tax', label: w.tax, show: money((row) => row.tax) },
    { key: 'gross', label: w.gross, show: money((row) => row.gross) },
  ];
  return <Table rows={rows} label={w.taxes} columns={columns} />;
}

const addressText = (address: Order['shippingAddress']): string =>
  address
    ? [address.name, address.street, [address.postalCode, address.city].filter(Boolean).join(' '), address.country]
        .filter(Boolean)
        .join(', ')
    : '';

const addressFacts: Column<Order>[] = [
  { key: 'ship', label: w.shipTo, show: format.text((order) => addressText(order.shippingAddress)) },
  { key: 'bill', label: w.billTo, show: format.text((order) => addressText(order.billingAddress)) },
];

export const Addresses = ({ order }: { order: Order }) => <Facts object={order} facts={addressFacts} />;

type Fulfillment = Order['shipments'][number];

const goods = ({ lines }: Fulfillment) =>
  lines.map(({ quantity, position }) => `${numberText(quantity)} × ${position.sku}`).join(', ');

const fulfillmentColumns: Column<Fulfillment>[] = [
  member('reference', format.handle),
  { key: 'goods', label: w.goods, show: format.text(goods) },
  { key: 'when', label: w.when, show: format.exactTime((row) => row.createdAt) },
];

/** Shipments or returns with what they moved. */
export const Fulfillments = ({ rows, label }: { rows: readonly Fulfillment[]; label: string }) => (
  <Table rows={rows} label={label} columns={fulfillmentColumns} />
);

export function Payments({ order: { payments, currency } }: { order: Order }) {
  const columns: Column<Order['payments'][number]>[] = [
    { key: 'kind', label: w.kind, show: format.word((payment) => payment.kind) },
    column(
      'amount',
      format.money(
        (payment) => payment.amount,
        () => currency,
      ),
    ),
    member('reference', format.handle),
    { key: 'when', label: w.when, show: format.exactTime((payment) => payment.createdAt) },
  ];
  return <Table rows={payments} label={w.payments} columns={columns} />;
}

/** What a pending order waits for. */
export function NextStep({ order }: { order: Order }) {
  const { text, target } = findNext(order);
  return <p>{target ? <ObjectLink {...target}>{text}</ObjectLink> : text}</p>;
}
