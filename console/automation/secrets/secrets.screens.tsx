import type { FormMember } from '#console/ui/form/field-props.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { DeleteSecret, PutSecret, SecretPage, Secrets } from './secrets.documents.ts';
import { secretWords as w } from './secrets.words.ts';

/** A key or a certificate has lines. */
const asked = (): Record<string, Partial<FormMember>> => ({ value: { isLong: true } });

const secretList = list('secrets', Secrets, {
  columns: [
    member('key', format.text, 'minmax(160px, 1fr)'),
    member('updatedAt', format.time),
    member('createdAt', format.exactTime),
  ],
  filters: [{ kind: 'text', key: 'q', member: 'search', label: w.search }],
  orders: { key: 'KEY', updatedAt: 'UPDATED_AT', createdAt: 'CREATED_AT' },
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: PutSecret,
      form: { fields: ['key', 'value'], asked },
      done: w.added,
      opens: (payload) => ({ noun: 'secrets', id: (payload['secret'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

const secretPage = detail('node', SecretPage, {
  title: (secret) => secret.key,
  facts: [member('updatedAt', format.exactTime), member('createdAt', format.exactTime)],
  sections: [
    {
      key: 'use',
      title: w.use,
      draw: ({ key }) => (
        <p>
          <code>{`{{ secrets.${key} }}`}</code> {w.useHint}
        </p>
      ),
    },
  ],
  actions: [
    {
      key: 'replace',
      label: w.replace,
      document: PutSecret,
      allowed: (secret) => secret.viewerCan.update,
      input: ({ key }) => ({ key }),
      form: { fields: ['value'], asked },
      done: w.replaced,
    },
    {
      key: 'delete',
      label: w.remove,
      document: DeleteSecret,
      allowed: (secret) => secret.viewerCan.delete,
      input: ({ key }) => ({ key }),
      confirm: ({ key }) => w.removeConfirm(key),
      isDanger: true,
      done: w.removed,
    },
  ],
});

export const secrets: Screens = { list: secretList, detail: secretPage };
