import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { completeAuthorization, createAuthorizeUrl } from './authorization.service.ts';
import { callbackInput } from './oauth.inputs.ts';

builder.relayMutationField(
  'createAuthorizeUrl',
  {
    inputFields: (t) => ({
      credentialId: t.id({ required: true }),
      returnToConsole: t.boolean({
        description:
          'Whether the redirect of the provider leads to the console, which completes the authorisation and says how it ended. Left out: it is answered with JSON.',
      }),
    }),
  },
  {
    description: 'Begins the 3-legged authorisation of a credential. The link is good once, for ten minutes.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { credentialId, returnToConsole } }, context) => ({
      authorizeUrl: await createAuthorizeUrl(context.deps, inTenant(context).actor, {
        credentialId: readId('Credential', credentialId),
        returnToConsole: returnToConsole ?? false,
      }),
    }),
  },
  {
    outputFields: (t) => ({
      authorizeUrl: t.exposeString('authorizeUrl', {
        description: 'Where to send the browser of whoever may grant access.',
      }),
    }),
  },
);

builder.relayMutationField(
  'completeAuthorization',
  mutationInput(callbackInput),
  {
    description: "Ends an authorisation with what the provider's redirect brought. The state says for whom.",
    skipTypeScopes: true,
    errors: errorTypes,
    resolve: async (_root, { input }, { deps }) => ({ id: await completeAuthorization(deps, input) }),
  },
  {
    outputFields: (t) => ({
      status: t.string({ description: 'Always `connected`.', resolve: () => 'connected' }),
      credentialId: t.id({
        description: 'The credential that is connected now.',
        resolve: ({ id }) => encodeGlobalID('Credential', String(id)),
      }),
      credentialDatabaseId: t.field({ type: 'Long', description: 'Its id in REST.', resolve: ({ id }) => id }),
    }),
  },
);
