import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { SftpAccountRef } from './sftp-accounts.graphql.ts';
import { acceptSftpHostKeyInput, createSftpAccountInput, updateSftpAccountInput } from './sftp-accounts.inputs.ts';
import { acceptSftpHostKey, createSftpAccount, deleteSftpAccount, updateSftpAccount } from './sftp-accounts.service.ts';

const writes = { admin: true, scope: 'io:write' } as const;

builder.relayMutationField(
  'createSftpAccount',
  mutationInput(createSftpAccountInput),
  {
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
  mutationInput(updateSftpAccountInput, idField),
  {
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
  mutationInput(acceptSftpHostKeyInput, idField),
  {
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
  { inputFields: idField },
  {
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
