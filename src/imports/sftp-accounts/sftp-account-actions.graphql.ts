import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { SftpAccountRef } from './sftp-accounts.graphql.ts';
import { acceptSftpHostKeyInput, createSftpAccountInput, updateSftpAccountInput } from './sftp-accounts.inputs.ts';
import { acceptSftpHostKey, createSftpAccount, deleteSftpAccount, updateSftpAccount } from './sftp-accounts.service.ts';

const writes = { admin: true, scope: 'io:write' } as const;

builder.relayMutationField(
  'createSftpAccount',
  {
    inputFields: (t) => ({
      name: t.string({ description: 'Unique in the tenant, 1 to 191 characters.', required: true }),
      host: t.string({ description: 'The name or address of the server.', required: true }),
      port: t.int({ description: 'Left out: 22.' }),
      username: t.string({ description: 'Who logs in.', required: true }),
      password: t.string({ description: 'Or `privateKey`.' }),
      privateKey: t.string({ description: 'In the format of OpenSSH or PEM.' }),
      passphrase: t.string({ description: 'Of the private key, where it is encrypted.' }),
      hostKey: t.string({
        description:
          'The key that the server must show, as `ssh-keygen -lf` prints it: `SHA256:...`. Without it, the error says which key the server shows now.',
      }),
    }),
  },
  {
    extensions: takes(createSftpAccountInput),
    description: 'Adds an SFTP account. Its password or key is encrypted, and its host key pinned.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor } = inTenant(context);
      return { sftpAccount: await createSftpAccount(deps, actor, input) };
    },
  },
  { outputFields: (t) => ({ sftpAccount: t.field({ type: SftpAccountRef, resolve: (made) => made.sftpAccount }) }) },
);

builder.relayMutationField(
  'updateSftpAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ description: 'Null leaves it as it is.' }),
      host: t.string({ description: 'Null leaves it as it is; the pinned host key stays.' }),
      port: t.int({ description: 'Null leaves it as it is.' }),
      username: t.string({ description: 'Null leaves it as it is.' }),
      password: t.string({ description: 'Replaces the password or the key.' }),
      privateKey: t.string({ description: 'Replaces the password or the key.' }),
      passphrase: t.string({ description: 'Of the private key that is given.' }),
    }),
  },
  {
    extensions: takes(updateSftpAccountInput, 'id'),
    description: 'Changes what is given and leaves the rest.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => {
      const { deps, actor } = inTenant(context);
      return { sftpAccount: await updateSftpAccount(deps, actor, readId('SftpAccount', id), changes) };
    },
  },
  { outputFields: (t) => ({ sftpAccount: t.field({ type: SftpAccountRef, resolve: (made) => made.sftpAccount }) }) },
);

builder.relayMutationField(
  'acceptSftpHostKey',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      hostKey: t.string({ description: 'The key that the server shows from now on: `SHA256:...`.', required: true }),
    }),
  },
  {
    extensions: takes(acceptSftpHostKeyInput, 'id'),
    description: 'Pins another host key, after the server has been set up anew.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...given } }, context) => {
      const { deps, actor } = inTenant(context);
      return { sftpAccount: await acceptSftpHostKey(deps, actor, readId('SftpAccount', id), given) };
    },
  },
  { outputFields: (t) => ({ sftpAccount: t.field({ type: SftpAccountRef, resolve: (made) => made.sftpAccount }) }) },
);

builder.relayMutationField(
  'deleteSftpAccount',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
    description: 'Deletes an SFTP account that no schedule uses.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('SftpAccount', id);
      const { deps, actor } = inTenant(context);
      await deleteSftpAccount(deps, actor, key);
      return { deletedId: encodeGlobalID('SftpAccount', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted account.' }),
    }),
  },
);
