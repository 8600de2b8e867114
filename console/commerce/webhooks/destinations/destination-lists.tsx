import { useCallback, useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import { deliveryFault } from '#console/commerce/webhooks/delivery-fault.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { serverNow } from '#console/ui/clock.ts';
import { Figures } from '#console/ui/figures.tsx';
import * as format from '#console/ui/formats.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { subscribeChanges } from '#console/ui/screens/changes.ts';
import { nestedList } from '#console/ui/screens/screen.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';
import type { Tone } from '#console/ui/state.tsx';
import { DeliveriesOfDestination, DestinationStats } from './destinations.documents.ts';
import { destinationWords as w } from './destinations.words.ts';

type Sent = ResultOf<typeof DeliveriesOfDestination>['webhookDeliveries']['edges'][number]['node'];

export const deliveriesOfDestination = nestedList(DeliveriesOfDestination, (data) => data.webhookDeliveries, {
  columns: [
    { key: 'id', label: w.id, show: format.text((delivery: Sent) => delivery.databaseId) },
    { key: 'status', label: w.status, show: format.state((delivery: Sent) => delivery.status) },
    { key: 'topic', label: w.topic, show: format.text((delivery: Sent) => delivery.topic) },
    { key: 'reason', label: w.reason, show: format.text((delivery: Sent) => deliveryFault(delivery)) },
    { key: 'attempts', label: w.attempts, show: format.number((delivery: Sent) => delivery.attemptCount) },
    { key: 'created', label: w.created, show: format.time((delivery: Sent) => delivery.createdAt) },
  ],
  open: (delivery) => ({ noun: 'deliveries', id: delivery.id }),
  empty: w.noDeliveries,
});

const tones: Readonly<Record<string, Tone>> = {
  delivered: 'succeeded',
  failed: 'failed',
  held: 'waiting',
  pending: 'waiting',
};

/** Counted again when the reader comes back after this long, in milliseconds. */
const staleMs = 30_000;
const countedMs = 7 * 86_400_000;

/** The deliveries of the last seven days in numbers. */
export function Statistics({ id }: { id: string }) {
  const since = useMemo(
    () => new Date(Math.floor((serverNow() - countedMs) / 3_600_000) * 3_600_000).toISOString(),
    [],
  );
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const [{ data, error }, read] = useQuery({ query: DestinationStats, variables: { id, since, timeZone } });
  const reload = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  useEffect(() => subscribeChanges(reload, staleMs), [reload]);
  if (error && !data) return <LoadFailed error={error} retry={reload} />;
  if (!data) return <Skeleton rows={2} />;
  return data.deliveryStats.map(({ total }, index) => (
    <Figures
      key={index}
      figures={(['total', 'delivered', 'failed', 'held', 'pending', 'attempts'] as const).map((key) => ({
        label: w[key],
        count: total[key],
        tone: tones[key],
      }))}
    />
  ));
}
