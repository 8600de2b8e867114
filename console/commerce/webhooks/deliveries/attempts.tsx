import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { numberText } from '#console/words/values.ts';
import type { DeliveryPage } from './deliveries.documents.ts';
import { deliveryWords as w } from './deliveries.words.ts';

export type Attempt = NonNullable<ResultOf<typeof DeliveryPage>['webhookDelivery']>['attempts'][number];

const columns: readonly Column<Attempt>[] = [
  { key: 'try', label: w.attempt, show: format.number((attempt) => attempt.try) },
  { key: 'status', label: w.status, show: format.state((attempt) => attempt.status) },
  { key: 'at', label: w.at, show: format.exactTime((attempt) => attempt.at) },
  { key: 'httpCode', label: w.httpCode, show: format.text((attempt) => attempt.httpCode) },
  { key: 'duration', label: w.duration, show: format.duration((attempt) => attempt.durationMs) },
  { key: 'error', label: w.error, show: format.text((attempt) => attempt.error) },
];

/** The attempts at a delivery, and below them what the receiver answered to each. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return <Table rows={attempts} columns={columns} label={w.attempts} stacks />;
}

/** The bodies that the receiver answered with. */
export function Responses({ attempts }: { attempts: readonly Attempt[] }) {
  return attempts
    .filter(({ response }) => response)
    .map((attempt) => (
      <details key={attempt.try} open={attempt === attempts.at(-1)}>
        <summary>{w.responseTo(numberText(attempt.try))}</summary>
        <pre className={attempt.status === 'FAILED' ? 'error-text' : 'answer-text'}>{attempt.response}</pre>
      </details>
    ));
}
