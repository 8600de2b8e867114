import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import type { AlertRecipientFacts } from './alert-recipients.documents.ts';
import { alertRecipientWords as w } from './alert-recipients.words.ts';

export type AlertMessage = ResultOf<typeof AlertRecipientFacts>['messages'][number];

const columns: readonly Column<AlertMessage>[] = [
  { key: 'status', label: w.status, show: format.state((message) => message.status) },
  { key: 'summary', label: w.summary, show: format.text((message) => message.summary) },
  { key: 'attempts', label: w.attempts, show: format.number((message) => message.attemptCount) },
  { key: 'created', label: w.made, show: format.time((message) => message.createdAt) },
  { key: 'sent', label: w.sentAt, show: format.time((message) => message.sentAt) },
  { key: 'error', label: w.error, show: format.text((message) => message.error) },
];

/** The last messages to a recipient. */
export function AlertMessages({ messages }: { messages: readonly AlertMessage[] }) {
  if (messages.length === 0) return <p>{w.noMessages}</p>;
  return <Table rows={messages} columns={columns} label={w.messages} stacks />;
}
