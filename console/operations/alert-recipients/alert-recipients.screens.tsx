import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import type { Notice } from '#console/ui/notices.ts';
import type { Action } from '#console/ui/screens/action.ts';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import { AlertMessages } from './alert-messages.tsx';
import {
  type AlertRecipientFacts,
  AlertRecipientPage,
  type AlertRecipientRow,
  AlertRecipients,
  CreateAlertRecipient,
  DeleteAlertRecipient,
  TestAlertRecipient,
  UpdateAlertRecipient,
} from './alert-recipients.documents.ts';
import { alertRecipientWords as w } from './alert-recipients.words.ts';

type Row = ResultOf<typeof AlertRecipientRow>;
type Recipient = ResultOf<typeof AlertRecipientFacts>;

const stateOf = ({ active }: Row): string => (active ? 'ENABLED' : 'DISABLED');
const placeOf = ({ url, addresses }: Row): string => url ?? addresses.join(', ');
const kindsOf = ({ kinds }: Row): string => kinds.map(enumWord).join(', ');

const fields = ['name', 'kinds', 'addresses', 'url', 'secret', 'expiringDays', 'groupMinutes', 'hourlyLimit', 'active'];

const recipientList = list('alertRecipients', AlertRecipients, {
  columns: [
    column(
      'name',
      format.text((recipient) => recipient.name),
      'minmax(128px, 1fr)',
    ),
    { key: 'status', label: w.status, show: format.state(stateOf) },
    column('kinds', format.text(kindsOf), 'minmax(160px, 2fr)'),
    { key: 'to', label: w.to, show: format.text(placeOf), width: 'minmax(160px, 2fr)' },
    member('hourlyLimit', format.number),
    member('createdAt', format.time),
  ],
  orders: { name: 'NAME', createdAt: 'CREATED_AT' },
  filters: [{ kind: 'text', key: 'q', member: 'search', label: w.search }],
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: CreateAlertRecipient,
      form: { fields },
      done: w.added,
      opens: (payload) => ({ noun: 'alert-recipients', id: (payload['alertRecipient'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

/** A test that was not taken is no fault of the form: the server says why the message did not arrive. */
const afterTest = (payload: Record<string, unknown>): string | Notice => {
  const { status, error } = payload['alertMessage'] as { status: string; error: string | null };
  return status === 'SENT' ? w.tested : { kind: 'failed', text: w.testRefused(error ?? '') };
};

const scalars = valuesOf<Recipient>('name', 'kinds', 'url', 'expiringDays', 'groupMinutes', 'hourlyLimit', 'active');

const actions: readonly Action<Recipient>[] = [
  {
    key: 'test',
    label: w.test,
    document: TestAlertRecipient,
    allowed: (recipient) => recipient.viewerCan.test,
    confirm: () => w.testAbout,
    done: afterTest,
  },
  {
    key: 'edit',
    saves: true,
    label: w.edit,
    document: UpdateAlertRecipient,
    allowed: (recipient) => recipient.viewerCan.update,
    form: {
      fields,
      // A recipient with a URL has no addresses, and an empty list of them would be refused.
      initial: (recipient) => ({
        ...scalars(recipient),
        ...(recipient.addresses.length > 0 && { addresses: recipient.addresses }),
      }),
      // The server does not tell it, so that a form that leaves it empty keeps it.
      asked: () => ({ secret: { help: w.keptSecret } }),
    },
    done: w.saved,
  },
  {
    key: 'delete',
    label: w.remove,
    document: DeleteAlertRecipient,
    allowed: (recipient) => recipient.viewerCan.delete,
    confirm: (recipient) => w.removeConfirm(recipient.name),
    isDanger: true,
    done: w.removed,
  },
];

const recipientPage = detail('alertRecipient', AlertRecipientPage, {
  title: (recipient) => recipient.name,
  state: stateOf,
  facts: [
    column('kinds', format.text(kindsOf)),
    { key: 'to', label: w.to, show: format.text(placeOf) },
    member('isSigned', format.flag),
    member('expiringDays', format.number),
    member('groupMinutes', format.number),
    member('hourlyLimit', format.number),
    { key: 'waiting', label: w.waiting, show: format.number((recipient) => recipient.waitingCount) },
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  sections: [{ key: 'messages', title: w.messages, draw: ({ messages }) => <AlertMessages messages={messages} /> }],
  actions,
});

export const alertRecipients: Screens = { list: recipientList, detail: recipientPage };
