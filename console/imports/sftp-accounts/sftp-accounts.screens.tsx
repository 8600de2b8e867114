import { importWords as w } from '#console/imports/imports.words.ts';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import {
  AcceptSftpHostKey,
  CreateSftpAccount,
  DeleteSftpAccount,
  SftpAccountPage,
  SftpAccounts,
  UpdateSftpAccount,
} from './sftp-accounts.documents.ts';

const fields = ['name', 'host', 'port', 'username', 'password', 'privateKey', 'passphrase'];

const accountList = list('sftpAccounts', SftpAccounts, {
  columns: [
    column(
      'name',
      format.text((account) => account.name),
      'minmax(128px, 2fr)',
    ),
    column(
      'host',
      format.text(({ host, port }) => `${host}:${port}`),
      'minmax(128px, 2fr)',
    ),
    member('username', format.text),
    member('loginBy', format.word),
    column(
      'hostKey',
      format.handle((account) => account.hostKey),
      'minmax(128px, 2fr)',
    ),
    member('createdAt', format.time),
  ],
  orders: { name: 'NAME', createdAt: 'CREATED_AT' },
  actions: [
    {
      key: 'add',
      label: w.newAccount,
      creates: true,
      document: CreateSftpAccount,
      form: { fields: [...fields, 'hostKey'] },
      done: w.added,
      opens: (payload) => ({ noun: 'sftp-accounts', id: (payload['sftpAccount'] as { id: string }).id }),
    },
  ],
  empty: w.accountsEmpty,
});

const accountPage = detail('sftpAccount', SftpAccountPage, {
  title: (account) => account.name,
  facts: [
    member('host', format.text),
    member('port', format.text),
    member('username', format.text),
    member('loginBy', format.word),
    member('hostKey', format.handle),
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.editAccount,
      document: UpdateSftpAccount,
      allowed: (account) => account.viewerCan.update,
      form: { fields, initial: valuesOf('name', 'host', 'port', 'username') },
      done: w.saved,
    },
    {
      key: 'accept-key',
      label: w.acceptKey,
      document: AcceptSftpHostKey,
      allowed: (account) => account.viewerCan.update,
      form: { fields: ['hostKey'] },
      confirm: (account) => w.acceptKeyConfirm(account.hostKey),
      done: w.keyAccepted,
    },
    {
      key: 'delete',
      label: w.deleteAccount,
      document: DeleteSftpAccount,
      allowed: (account) => account.viewerCan.delete,
      confirm: (account) => w.deleteAccountConfirm(account.name),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const sftpAccounts: Screens = { list: accountList, detail: accountPage };
