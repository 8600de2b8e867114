import { deliveryFault } from '#console/commerce/webhooks/delivery-fault.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { Age } from '#console/ui/age.tsx';
import { serverNow } from '#console/ui/clock.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { detail, type Format, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { Attempts, Responses } from './attempts.tsx';
import {
  AllDeliveriesFollowed,
  Deliveries,
  DeliveriesFollowed,
  DeliveryPage,
  ResendDeliveries,
  ResendDelivery,
} from './deliveries.documents.ts';
import { deliveryWords as w } from './deliveries.words.ts';

type Row = RowOf<ResultOf<typeof Deliveries>, 'webhookDeliveries'>;

/** When it is sent next. One whose time has come waits for its turn: behind others, or for the one before it. */
const nextAttempt: Format<Row> = {
  ...format.time<Row>((delivery) => delivery.nextAttemptAt),
  draw: ({ nextAttemptAt }) =>
    nextAttemptAt === null ? '–' : Date.parse(nextAttemptAt) <= serverNow() ? w.due : <Age at={nextAttemptAt} />,
};

const deliveryList = list('webhookDeliveries', Deliveries, {
  columns: [
    { key: 'id', label: w.id, show: format.text((delivery) => delivery.databaseId), width: '88px' },
    { key: 'status', label: w.status, show: format.state((delivery) => delivery.status) },
    {
      key: 'destination',
      label: w.destination,
      show: format.text((delivery) => delivery.destination?.name),
      width: 'minmax(128px, 2fr)',
    },
    { key: 'topic', label: w.topic, show: format.text((delivery) => delivery.topic), width: 'minmax(128px, 2fr)' },
    { key: 'reason', label: w.reason, show: format.text(deliveryFault), width: 'minmax(128px, 3fr)' },
    {
      key: 'attempts',
      label: w.attempts,
      show: format.number((delivery) => delivery.attemptCount),
      width: '80px',
    },
    { key: 'next', label: w.nextAttempt, show: nextAttempt },
    { key: 'created', label: w.created, show: format.time((delivery) => delivery.createdAt) },
  ],
  filters: [
    { kind: 'choice', key: 'status', label: w.status, options: ['PENDING', 'DELIVERED', 'FAILED', 'HELD'] },
    { kind: 'times', key: 'time', member: 'since', label: w.created },
    {
      kind: 'lookup',
      key: 'destination',
      member: 'destinationId',
      noun: 'webhook-destinations',
      label: w.destination,
    },
    { kind: 'text', key: 'topic', label: w.topic },
    { kind: 'text', key: 'event', member: 'eventId', label: w.event },
    { kind: 'lookup', key: 'group', member: 'errorGroupId', noun: 'error-groups', label: w.group },
  ],
  orders: { created: 'CREATED_AT' },
  follow: AllDeliveriesFollowed,
  followsUnfiltered: true,
  bulk: [
    {
      key: 'resend',
      verb: w.resend,
      label: w.resendMany,
      document: ResendDeliveries,
      allowed: (delivery) => delivery.viewerCan.resend,
    },
  ],
  empty: w.empty,
});

const deliveryPage = detail('webhookDelivery', DeliveryPage, {
  follow: DeliveriesFollowed,
  followed: ({ destination }) => ({ destinationId: destination?.id }),
  rereads: (event, { id }) => (event as { id: string } | null)?.id === id,
  hasEnded: ({ destination }) => destination === null,
  title: (delivery) => w.delivery(delivery.databaseId),
  state: (delivery) => delivery.status,
  facts: [
    {
      key: 'destination',
      label: w.destination,
      show: format.link(
        'webhook-destinations',
        (delivery) => delivery.destination,
        (delivery) => delivery.destination?.name,
      ),
    },
    { key: 'topic', label: w.topic, show: format.text((delivery) => delivery.topic) },
    { key: 'event', label: w.event, show: format.handle((delivery) => delivery.eventId) },
    { key: 'reason', label: w.reason, show: format.text((delivery) => delivery.reason) },
    { key: 'next', label: w.nextAttempt, show: format.exactTime((delivery) => delivery.nextAttemptAt) },
    { key: 'created', label: w.created, show: format.exactTime((delivery) => delivery.createdAt) },
    { key: 'updated', label: w.updated, show: format.exactTime((delivery) => delivery.updatedAt) },
  ],
  sections: [
    { key: 'attempts', title: w.attempts, draw: (delivery) => <Attempts attempts={delivery.attempts} /> },
    {
      key: 'responses',
      title: w.responses,
      when: (delivery) => delivery.attempts.some(({ response }) => response),
      draw: (delivery) => <Responses attempts={delivery.attempts} />,
    },
    { key: 'request', title: w.request, draw: (delivery) => <JsonTree value={parsed(delivery.payload)} /> },
  ],
  actions: [
    {
      key: 'resend',
      label: w.resend,
      document: ResendDelivery,
      allowed: (delivery) => delivery.viewerCan.resend,
      confirm: () => w.resendAbout,
      done: w.resent,
    },
  ],
});

/** The payload is the text that is signed; it is JSON. */
function parsed(payload: string): unknown {
  try {
    return readJson(payload);
  } catch {
    return payload;
  }
}

export const deliveries: Screens = { list: deliveryList, detail: deliveryPage };
