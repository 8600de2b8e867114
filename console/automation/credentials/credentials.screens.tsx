import { credentialActions } from '#console/automation/credential-forms/credential-actions.ts';
import {
  CreateCredential,
  type CredentialFacts,
  CredentialPage,
  type CredentialRow,
  Credentials,
} from '#console/automation/credential-forms/credentials.documents.ts';
import { credentialWords as w } from '#console/automation/credential-forms/credentials.words.ts';
import { membersOf } from '#console/automation/credential-forms/type-members.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { Facts } from '#console/ui/screens/facts.tsx';
import { type Column, detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { enumWord } from '#console/words/enums.ts';
import { numberText } from '#console/words/values.ts';
import { Authorized } from './authorized.tsx';
import { NewCredential } from './new-credential.tsx';

type Row = ResultOf<typeof CredentialRow>;
type Credential = ResultOf<typeof CredentialFacts>;

const typeName = format.text(({ type, credentialTypeSlug }: Row) => type?.name ?? credentialTypeSlug);
const lastTest = format.state(({ lastTestOutcome }: Row) => lastTestOutcome ?? '');

const credentialList = list('credentials', Credentials, {
  columns: [
    member('name', format.text, 'minmax(144px, 2fr)'),
    { key: 'type', label: w.type, show: typeName, width: 'minmax(128px, 1fr)' },
    { key: 'status', label: w.state, show: format.state((credential) => credential.status) },
    { key: 'test', label: w.lastTest, show: lastTest },
    { key: 'tested', label: w.tested, show: format.time((credential) => credential.lastTestAt) },
    member('expiresAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    {
      kind: 'choice',
      key: 'status',
      label: w.state,
      many: true,
      options: ['ACTIVE', 'PENDING', 'EXPIRED', 'REVOKED'],
    },
  ],
  orders: { name: 'NAME', expiresAt: 'EXPIRES_AT', updatedAt: 'UPDATED_AT' },
  links: [{ id: 'new', label: w.add, document: CreateCredential }],
  empty: w.empty,
});

/** What the fields that are not secret hold, in the words of their type. */
function Config({ credential: { type, publicConfig } }: { credential: Credential }) {
  const labels = new Map(membersOf(type?.fields ?? [], false).map(({ name, label }) => [name, label]));
  const facts = Object.entries(publicConfig as Record<string, unknown>).map(([name, value]): Column<unknown> => ({
    key: name,
    label: labels.get(name) ?? name,
    show: format.text(() => (typeof value === 'string' ? value : JSON.stringify(value))),
  }));
  return facts.length === 0 ? <p className="quiet">{w.onlySecrets}</p> : <Facts facts={facts} object={null} />;
}

const useColumns: readonly Column<Credential['usedBy'][number]>[] = [
  {
    key: 'workflow',
    label: w.workflow,
    show: format.link(
      'workflows',
      (use) => use.workflow,
      (use) => use.workflowName,
    ),
  },
  { key: 'node', label: w.node, show: format.text((use) => use.nodeId) },
  { key: 'field', label: w.field, show: format.text((use) => use.field) },
];

const credentialPage = detail('credential', CredentialPage, {
  title: (credential) => credential.name,
  state: (credential) => credential.status,
  facts: [
    { key: 'type', label: w.type, show: typeName },
    { key: 'test', label: w.lastTest, show: lastTest },
    { key: 'message', label: w.testMessage, show: format.text((credential) => credential.lastTestMessage) },
    { key: 'tested', label: w.tested, show: format.exactTime((credential) => credential.lastTestAt) },
    member('expiresAt', format.exactTime),
    {
      key: 'rateLimit',
      label: w.rateLimit,
      show: format.text(({ rateLimit }) =>
        rateLimit === null
          ? null
          : w.rate(numberText(rateLimit.requests), enumWord(rateLimit.per), numberText(rateLimit.burst)),
      ),
    },
    { key: 'closedUntil', label: w.closedUntil, show: format.exactTime(({ rateState }) => rateState.closedUntil) },
    {
      key: 'waitingSteps',
      label: w.waitingSteps,
      show: format.number(({ rateLimit, rateState: { waitingSteps } }) =>
        rateLimit === null && waitingSteps === 0 ? null : waitingSteps,
      ),
    },
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  sections: [
    { key: 'config', title: w.config, draw: (credential) => <Config credential={credential} /> },
    {
      key: 'uses',
      title: w.usedBy,
      draw: ({ usedBy }) =>
        usedBy.length === 0 ? (
          <p className="quiet">{w.notUsed}</p>
        ) : (
          <Table rows={usedBy} columns={useColumns} label={w.usedBy} />
        ),
    },
  ],
  actions: credentialActions,
});

export const credentials: Screens = {
  list: credentialList,
  detail: credentialPage,
  pages: { new: () => <NewCredential />, authorized: () => <Authorized /> },
};
