import { articles } from '#console/commerce/lookups.ts';
import { attributesSection } from '#console/commerce/own-attributes.tsx';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { CreateOrder } from './order-actions.documents.ts';
import { orderActions } from './order-actions.ts';
import { Addresses, Fulfillments, NextStep, Payments, Positions, Taxes } from './order-parts.tsx';
import { OrderStoryFollowed } from './order-story.documents.ts';
import { Story } from './order-story.tsx';
import { orderStoryWords as sw } from './order-story.words.ts';
import { OrderPage, Orders, OrdersFollowed } from './orders.documents.ts';
import { orderWords as w } from './orders.words.ts';

type Row = RowOf<ResultOf<typeof Orders>, 'orders'>;

const customer = format.link<Row>(
  'customers',
  (order) => order.organization,
  (order) => order.organization?.name,
);
const gross = format.money<Row>(
  (order) => order.totals.gross,
  (order) => order.currency,
);

const orderList = list('orders', Orders, {
  follow: OrdersFollowed,
  columns: [
    { key: 'number', label: w.number, show: format.text((order) => order.number), width: '88px' },
    { key: 'status', label: w.status, show: format.state((order) => order.status), width: '128px' },
    { key: 'customer', label: w.customer, show: customer, width: 'minmax(128px, 2fr)' },
    { key: 'gross', label: w.gross, show: gross },
    { key: 'payment', label: w.payment, show: format.state((order) => order.paymentStatus), width: '160px' },
    {
      key: 'fulfillment',
      label: w.fulfillment,
      show: format.state((order) => order.fulfillmentStatus),
      width: '168px',
    },
    { key: 'hold', label: w.hold, show: format.state((order) => order.holdReason), width: '112px' },
    column(
      'erpNumber',
      format.text((order) => order.erpNumber),
      'minmax(96px, 1fr)',
    ),
    { key: 'placed', label: w.placed, show: format.time((order) => order.placedAt) },
  ],
  orders: { number: 'NUMBER', placed: 'PLACED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    {
      kind: 'choice',
      key: 'status',
      label: w.status,
      many: true,
      options: ['PENDING', 'ACKNOWLEDGED', 'COMPLETED', 'CANCELLED'],
    },
    { kind: 'lookup', key: 'customer', member: 'organizationId', noun: 'customers', label: w.customer },
    { kind: 'times', key: 'placed', member: 'placedSince', label: w.placed },
    { kind: 'times', key: 'changed', member: 'updatedSince', label: w.changed },
  ],
  actions: [
    {
      key: 'create',
      label: w.create,
      creates: true,
      document: CreateOrder,
      form: {
        fields: [
          'organizationId',
          'contactId',
          'currency',
          'positions',
          'customerOrderNumber',
          'channel',
          'externalKey',
          'shippingAddress',
          'billingAddress',
          'attributes',
        ],
        lookups: { organizationId: 'customers', contactId: 'contacts', sku: articles },
        initial: () => ({ positions: [{}] }),
      },
      done: w.created,
      opens: (payload) => ({ noun: 'orders', id: (payload['order'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

const orderPage = detail('order', OrderPage, {
  follow: OrderStoryFollowed,
  rereads: () => true,
  title: (order) => w.order(order.number),
  state: (order) => order.status,
  facts: [
    { key: 'payment', label: w.payment, show: format.state((order) => order.paymentStatus) },
    { key: 'fulfillment', label: w.fulfillment, show: format.state((order) => order.fulfillmentStatus) },
    { key: 'hold', label: w.hold, show: format.state((order) => order.holdReason) },
    { key: 'gross', label: w.gross, show: gross },
    { key: 'customer', label: w.customer, show: customer },
    column(
      'contactId',
      format.link(
        'contacts',
        (order) => order.contact,
        (order) => order.contact?.email,
      ),
    ),
    member('erpNumber', format.handle),
    member('externalKey', format.handle),
    member('customerOrderNumber', format.text),
    member('channel', format.text),
    { key: 'placed', label: w.placed, show: format.exactTime((order) => order.placedAt) },
    member('updatedAt', format.exactTime),
    member('uid', format.handle),
  ],
  sections: [
    {
      key: 'next',
      title: w.next,
      when: ({ status }) => status === 'PENDING',
      draw: (order) => <NextStep order={order} />,
    },
    { key: 'story', title: sw.story, draw: (order) => <Story story={order.story} /> },
    { key: 'positions', title: w.positions, draw: (order) => <Positions order={order} /> },
    { key: 'taxes', title: w.taxes, draw: (order) => <Taxes order={order} /> },
    {
      key: 'shipments',
      title: w.shipments,
      when: (order) => order.shipments.length > 0,
      draw: (order) => <Fulfillments rows={order.shipments} label={w.shipments} />,
    },
    {
      key: 'returns',
      title: w.returns,
      when: (order) => order.returns.length > 0,
      draw: (order) => <Fulfillments rows={order.returns} label={w.returns} />,
    },
    {
      key: 'payments',
      title: w.payments,
      when: (order) => order.payments.length > 0,
      draw: (order) => <Payments order={order} />,
    },
    {
      key: 'addresses',
      title: w.addresses,
      when: (order) => order.shippingAddress !== null || order.billingAddress !== null,
      draw: (order) => <Addresses order={order} />,
    },
    attributesSection,
  ],
  actions: orderActions,
});

export const orders: Screens = { list: orderList, detail: orderPage };
