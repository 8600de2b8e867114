import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import {
  DiscardOutboxFailure,
  OutboxFailurePage,
  type OutboxFailureRow,
  OutboxFailures,
  RetryOutboxFailure,
} from './outbox-failures.documents.ts';
import { outboxFailureWords as w } from './outbox-failures.words.ts';

const failureList = list('outboxFailures', OutboxFailures, {
  columns: [
    { key: 'topic', label: w.topic, show: format.text((failure) => failure.topic), width: 'minmax(144px, 1fr)' },
    {
      key: 'consumer',
      label: w.consumer,
      show: format.text((failure) => failure.consumer),
      width: 'minmax(144px, 1fr)',
    },
    { key: 'tenant', label: w.tenant, show: format.text((failure) => failure.tenantId), width: 'minmax(96px, 1fr)' },
    { key: 'error', label: w.error, show: format.text((failure) => failure.error), width: 'minmax(192px, 4fr)' },
    { key: 'failed', label: w.failedAt, show: format.time((failure) => failure.createdAt) },
  ],
  filters: [
    { kind: 'text', key: 'topic', label: w.topic },
    { kind: 'text', key: 'consumer', label: w.consumer },
    { kind: 'text', key: 'tenant', member: 'tenantId', label: w.tenant },
    { kind: 'times', key: 'time', label: w.failedAt },
  ],
  empty: w.empty,
});

const keyOf = ({ consumer, eventId }: ResultOf<typeof OutboxFailureRow>) => ({ consumer, eventId });

const failurePage = detail('node', OutboxFailurePage, {
  title: (failure) => failure.topic,
  facts: [
    { key: 'consumer', label: w.consumer, show: format.text((failure) => failure.consumer) },
    { key: 'tenant', label: w.tenant, show: format.text((failure) => failure.tenantId) },
    { key: 'event', label: w.event, show: format.handle((failure) => failure.eventId) },
    { key: 'published', label: w.publishedAt, show: format.exactTime((failure) => failure.publishedAt) },
    { key: 'failed', label: w.failedAt, show: format.exactTime((failure) => failure.createdAt) },
  ],
  sections: [{ key: 'error', title: w.error, draw: ({ error }) => <pre className="error-text">{error}</pre> }],
  actions: [
    {
      key: 'retry',
      label: w.retry,
      document: RetryOutboxFailure,
      allowed: (failure) => failure.viewerCan.retry,
      input: keyOf,
      confirm: () => w.retryAbout,
      done: w.retried,
    },
    {
      key: 'discard',
      label: w.discard,
      document: DiscardOutboxFailure,
      allowed: (failure) => failure.viewerCan.discard,
      input: keyOf,
      confirm: ({ consumer }) => w.discardConfirm(consumer),
      isDanger: true,
      done: w.discarded,
    },
  ],
});

export const outboxFailures: Screens = { list: failureList, detail: failurePage };
