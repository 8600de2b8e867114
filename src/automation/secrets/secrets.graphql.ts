import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { putSecretInput, secretLimits } from './secrets.inputs.ts';
import { secretList } from './secrets.reads.ts';
import { deleteSecret, findSecret, listSecrets, putSecret, type SecretListing } from './secrets.service.ts';

const SecretPermissions = permissionsType('SecretPermissions', {
  update: 'putSecret',
  delete: 'deleteSecret',
});

const TenantSecret = builder.objectRef<SecretListing>('TenantSecret');

builder.node(TenantSecret, {
  id: { resolve: ({ key }) => key },
  loadOne: (key, context) => findSecret(context.deps, inTenant(context).actor, key),
  isTypeOf: (value) => isRow(value, 'key', 'createdAt') && !('namespace' in value),
  authScopes: { member: true },
  description: 'A value that expressions read as `secrets.KEY`. It is kept encrypted, and shown to nobody.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What expressions name it by; unique in the tenant.' }),
    viewerCan: t.field({ type: SecretPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its value was set last.' }),
  }),
});

const SecretFilterInput = builder.inputType('TenantSecretFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the key, in any case; at most 191 characters.' }),
    prefix: t.string({ description: 'What the key begins with, in the same case.' }),
  }),
});

const SecretOrderInput = orderInput('TenantSecret', {
  of: 'secrets',
  fields: { KEY: {}, CREATED_AT: {}, UPDATED_AT: { description: 'By when the value was set last.' } },
});

builder.queryFields((t) => ({
  secrets: t.connection(
    {
      type: TenantSecret,
      authScopes: { member: true },
      description: `The secrets of the tenant, which has at most ${secretLimits.number}.`,
      args: {
        filter: t.arg({ type: SecretFilterInput }),
        orderBy: t.arg({ type: SecretOrderInput, description: 'Left out: by key.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageInOrder(secretList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'KEY', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (keys) => listSecrets(deps, tenantId, keys),
          rowId: ({ key }) => key,
        });
      },
    },
    defineConnection(TenantSecret),
  ),
  secret: t.field({
    type: TenantSecret,
    description: 'That a secret is there, and since when; never its value.',
    nullable: true,
    authScopes: { member: true },
    args: { key: t.arg.string({ description: 'Its key.', required: true }) },
    resolve: (_root, { key }, context) => findSecret(context.deps, inTenant(context).actor, key),
  }),
}));

builder.relayMutationField(
  'putSecret',
  mutationInput(putSecretInput),
  {
    description: 'Sets a secret, new or known.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) => putSecret(context.deps, inTenant(context).actor, input),
  },
  {
    outputFields: (t) => ({
      secret: t.field({ type: TenantSecret, resolve: ({ secret }) => secret }),
      made: t.exposeBoolean('made', { description: 'False where the key was there and has a new value.' }),
    }),
  },
);

builder.relayMutationField(
  'deleteSecret',
  { inputFields: (t) => ({ key: t.string({ description: 'The key of the secret.', required: true }) }) },
  {
    description: 'Deletes a secret. Expressions that read it fail from then on.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { key } }, context) => {
      const { deps, actor } = inTenant(context);
      await deleteSecret(deps, actor, key);
      return { deletedKey: key };
    },
  },
  {
    outputFields: (t) => ({
      deletedKey: t.exposeString('deletedKey', { description: 'The key of the deleted secret.' }),
    }),
  },
);
