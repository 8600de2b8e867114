import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { HttpSourceRef } from './http-sources.graphql.ts';
import { createHttpSourceInput, updateHttpSourceInput } from './http-sources.inputs.ts';
import { createHttpSource, deleteHttpSource, updateHttpSource } from './http-sources.service.ts';

const writes = { admin: true, scope: 'io:write' } as const;

builder.relayMutationField(
  'createHttpSource',
  mutationInput(createHttpSourceInput),
  {
    description: 'Adds a file at an HTTP server, which import schedules can fetch.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor } = inTenant(context);
      return { httpSource: await createHttpSource(deps, actor, input) };
    },
  },
  { outputFields: (t) => ({ httpSource: t.field({ type: HttpSourceRef, resolve: (made) => made.httpSource }) }) },
);

builder.relayMutationField(
  'updateHttpSource',
  mutationInput(updateHttpSourceInput, idField),
  {
    description: 'Changes what is given and leaves the rest.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => {
      const { deps, actor } = inTenant(context);
      return { httpSource: await updateHttpSource(deps, actor, readId('HttpSource', id), changes) };
    },
  },
  { outputFields: (t) => ({ httpSource: t.field({ type: HttpSourceRef, resolve: (made) => made.httpSource }) }) },
);

builder.relayMutationField(
  'deleteHttpSource',
  { inputFields: idField },
  {
    description: 'Deletes an HTTP source that no schedule uses.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('HttpSource', id);
      const { deps, actor } = inTenant(context);
      await deleteHttpSource(deps, actor, key);
      return { deletedId: encodeGlobalID('HttpSource', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted source.' }),
    }),
  },
);
