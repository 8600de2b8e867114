import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import type { KeyScope } from '#src/infra/key-scopes.ts';
import { createApiKeyInput, rotateApiKeyInput } from './api-keys.inputs.ts';
import { keyConditions } from './api-keys.reads.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from './api-keys.service.ts';

const ApiKeyPermissions = permissionsType('ApiKeyPermissions', { rotate: 'rotateApiKey', revoke: 'revokeApiKey' });

const ApiKeyRef = builder.prismaNode('ApiKey', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'ApiKey', id) }),
  authScopes: { admin: true },
  description: 'A key by which another system acts in the tenant. Its secret is shown once, when it is made.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    name: t.exposeString('name', { description: 'The integration it is of; two of its keys may be active.' }),
    prefix: t.exposeString('prefix', { description: 'The part of the key that stands between its underscores.' }),
    scopes: t.exposeStringList('scopes', { description: 'What it may do, e.g. `orders:read`; `*` is everything.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on it is refused; null where it has no end.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null before its first use.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null for a key that was not.',
    }),
    viewerCan: t.field({ type: ApiKeyPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const ApiKeyFilterInput = builder.inputType('ApiKeyFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the name or the prefix, in any case; at most 191 characters.' }),
  }),
});

const KeyScopeRef = builder.objectRef<KeyScope>('KeyScope').implement({
  description: 'What an API key can be given.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As `createApiKey` takes it: `orders:read`.' }),
    allows: t.exposeString('allows', { description: 'What a key that has it may do.' }),
  }),
});

builder.queryField('keyScopes', (t) =>
  t.field({
    type: [KeyScopeRef],
    description: 'The scopes that an API key can have, beside `*`. The list is the same for every tenant.',
    authScopes: { admin: true },
    resolve: (_root, _args, { declaredScopes }) => [...declaredScopes],
  }),
);

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyRef,
      description: 'The API keys of the tenant, newest first, with those that were revoked.',
      authScopes: { admin: true },
      args: { filter: t.arg({ type: ApiKeyFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter, ...page }, context, info) => {
        const { db, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'ApiKey' });
        const where = keyConditions(tenantId, filter?.search);
        return pageById(
          page,
          ({ beyond, ...loading }) => db.apiKey.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => db.apiKey.count({ where, take: most }),
        );
      },
    },
    defineConnection(ApiKeyRef),
  ),
);

builder.relayMutationField(
  'createApiKey',
  mutationInput(createApiKeyInput),
  {
    description: 'Makes an API key. Two keys of a name may be active, so that one can be replaced.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) => createApiKey(keyDeps(context), inTenant(context).actor, input),
  },
  {
    outputFields: (t) => ({
      apiKey: t.field({ type: ApiKeyRef, resolve: ({ apiKey }) => apiKey }),
      secret: t.exposeString('secret', { description: 'The whole key. It is shown here once.' }),
    }),
  },
);

builder.relayMutationField(
  'rotateApiKey',
  mutationInput(rotateApiKeyInput, idField),
  {
    description: 'Makes another key of the same name and scopes, and lets the old one expire.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...input } }, context) =>
      rotateApiKey(keyDeps(context), inTenant(context).actor, readId('ApiKey', id), input),
  },
  {
    outputFields: (t) => ({
      apiKey: t.field({ type: ApiKeyRef, description: 'The new key.', resolve: ({ apiKey }) => apiKey }),
      secret: t.exposeString('secret', { description: 'The whole new key. It is shown here once.' }),
    }),
  },
);

builder.relayMutationField(
  'revokeApiKey',
  { inputFields: idField },
  {
    description: 'Ends a key at once, in every process. Revoking it again changes nothing.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      apiKey: await revokeApiKey(keyDeps(context), inTenant(context).actor, readId('ApiKey', id)),
    }),
  },
  { outputFields: (t) => ({ apiKey: t.field({ type: ApiKeyRef, resolve: ({ apiKey }) => apiKey }) }) },
);

const keyDeps = ({ deps: { database }, keyScopes }: Context) => ({ database, keyScopes });
