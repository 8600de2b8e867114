import type { ResultOf } from '#console/graph/graphql.ts';
import type { MutationDocument } from '#console/graph/mutate.ts';
import * as format from '#console/ui/formats.tsx';
import { queried } from '#console/ui/lookup/lookup.ts';
import { ListLink, ObjectLink } from '#console/ui/object-link.tsx';
import { type Column, detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { numberText } from '#console/words/values.ts';
import { AssignMe } from './assign-me.tsx';
import {
  AssignErrorGroup,
  ErrorGroupPage,
  ErrorGroups,
  MuteErrorGroup,
  People,
  ReopenErrorGroup,
  ResolveErrorGroup,
} from './error-groups.documents.ts';
import { groupWords as w } from './error-groups.words.ts';
import { ReplayDeadLettersOfGroup, ResendDeliveriesOfGroup, RetryRunsOfGroup } from './retry-group.documents.ts';

type Group = NonNullable<ResultOf<typeof ErrorGroupPage>['errorGroup']>;

const groupList = list('errorGroups', ErrorGroups, {
  columns: [
    { key: 'message', label: w.message, show: format.text((group) => group.message), width: 'minmax(200px, 4fr)' },
    { key: 'status', label: w.status, show: format.state((group) => group.status) },
    { key: 'count', label: w.count, show: format.number((group) => group.count) },
    { key: 'kind', label: w.kind, show: format.word((group) => group.kind), width: '136px' },
    { key: 'node', label: w.node, show: format.text((group) => group.node), width: 'minmax(144px, 1fr)' },
    { key: 'assignee', label: w.assignee, show: format.text((group) => group.assignee), width: 'minmax(112px, 1fr)' },
    { key: 'first', label: w.first, show: format.time((group) => group.firstAt) },
    { key: 'last', label: w.last, show: format.time((group) => group.lastAt) },
  ],
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    { kind: 'choice', key: 'status', label: w.status, many: true, options: ['OPEN', 'MUTED', 'RESOLVED'] },
    { kind: 'choice', key: 'kind', label: w.kind, options: ['RUN', 'DEAD_LETTER', 'WEBHOOK_DELIVERY'] },
    { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: w.workflow },
  ],
  empty: w.empty,
});

/** Whoever has a role in the tenant. */
const person = queried(People, ({ people }) =>
  people.map(({ id, name, email }) => ({
    id: String(id),
    name,
    value: id,
    ...(email !== null && email !== name && { about: email }),
  })),
);

/** The list that has the items of a kind. */
const nounOfKind = { RUN: 'runs', DEAD_LETTER: 'dead-letters', WEBHOOK_DELIVERY: 'deliveries' } as const;

const retry = (kind: Group['kind'], document: MutationDocument) => ({
  key: `retry-${kind}`,
  label: w.retryAll,
  document,
  allowed: (group: Group) => group.kind === kind && group.count > 0 && group.viewerCan.resolve,
  input: ({ id }: Group) => ({ filter: { errorGroupId: id } }),
  confirm: ({ count }: Group) => w.retryConfirm(numberText(count)),
  done: w.retryStarted,
  opens: (payload: Record<string, unknown>) => ({
    noun: 'bulk-actions',
    id: (payload['bulkAction'] as { id: string }).id,
  }),
});

function Sample({ group }: { group: Group }) {
  const { sampleRun: run, sampleDeadLetter: letter, sampleWebhookDelivery: delivery } = group;
  if (run)
    return (
      <ObjectLink noun="runs" id={run.id}>
        {w.runSample(run.databaseId)}
      </ObjectLink>
    );
  if (letter)
    return (
      <ObjectLink noun="dead-letters" id={letter.id}>
        {w.letterSample(letter.databaseId)}
      </ObjectLink>
    );
  if (delivery)
    return (
      <ObjectLink noun="deliveries" id={delivery.id}>
        {w.deliverySample(delivery.databaseId)}
      </ObjectLink>
    );
  return <p className="quiet">{w.noSample}</p>;
}

const workflowColumns: readonly Column<Group['workflows'][number]>[] = [
  {
    key: 'name',
    label: w.workflow,
    show: format.link(
      'workflows',
      (hit) => hit.workflow,
      (hit) => hit.workflow?.name,
    ),
  },
  { key: 'count', label: w.count, show: format.number((hit) => hit.count) },
];

const groupPage = detail('errorGroup', ErrorGroupPage, {
  title: (group) => group.message,
  state: (group) => group.status,
  facts: [
    { key: 'kind', label: w.kind, show: format.word((group) => group.kind) },
    { key: 'count', label: w.count, show: format.number((group) => group.count) },
    { key: 'code', label: w.code, show: format.handle((group) => group.code) },
    { key: 'node', label: w.node, show: format.text((group) => group.node) },
    { key: 'assignee', label: w.assignee, show: format.text((group) => group.assignee) },
    { key: 'mutedUntil', label: w.mutedUntil, show: format.exactTime((group) => group.mutedUntil) },
    { key: 'reopened', label: w.reopened, show: format.exactTime((group) => group.reopenedAt) },
    { key: 'first', label: w.first, show: format.exactTime((group) => group.firstAt) },
    { key: 'last', label: w.last, show: format.exactTime((group) => group.lastAt) },
  ],
  sections: [
    {
      key: 'me',
      title: w.assignee,
      when: ({ assignee, viewerCan }) => assignee === null && viewerCan.assign,
      draw: ({ id }) => (
        <p>
          <AssignMe id={id} />
        </p>
      ),
    },
    { key: 'sample', title: w.sample, draw: (group) => <Sample group={group} /> },
    {
      key: 'items',
      title: w.items,
      draw: ({ id, kind, count }) => (
        <ListLink noun={nounOfKind[kind]} search={{ group: id }}>
          {w.itemsLink(numberText(count))}
        </ListLink>
      ),
    },
    {
      key: 'workflows',
      title: w.workflows,
      when: ({ workflows }) => workflows.length > 0,
      draw: ({ workflows }) => <Table rows={workflows} label={w.workflows} columns={workflowColumns} />,
    },
  ],
  actions: [
    retry('RUN', RetryRunsOfGroup),
    retry('DEAD_LETTER', ReplayDeadLettersOfGroup),
    retry('WEBHOOK_DELIVERY', ResendDeliveriesOfGroup),
    {
      key: 'assign',
      label: w.assign,
      document: AssignErrorGroup,
      allowed: (group) => group.viewerCan.assign,
      form: {
        fields: ['userId'],
        lookups: { userId: person },
        asked: () => ({ userId: { label: w.assignee, help: w.assigneeHelp } }),
      },
      done: w.assigned,
    },
    {
      key: 'mute',
      label: w.mute,
      document: MuteErrorGroup,
      allowed: ({ status, viewerCan }) => status !== 'MUTED' && viewerCan.mute,
      form: { fields: ['until'] },
      done: w.muted,
    },
    {
      key: 'resolve',
      label: w.resolve,
      document: ResolveErrorGroup,
      allowed: ({ status, viewerCan }) => status !== 'RESOLVED' && viewerCan.resolve,
      confirm: () => w.resolveAbout,
      done: w.resolved,
    },
    {
      key: 'reopen',
      label: w.reopen,
      document: ReopenErrorGroup,
      allowed: ({ status, viewerCan }) => status !== 'OPEN' && viewerCan.reopen,
      confirm: () => w.reopenAbout,
      done: w.isOpen,
    },
  ],
});

export const errorGroups: Screens = { list: groupList, detail: groupPage };
