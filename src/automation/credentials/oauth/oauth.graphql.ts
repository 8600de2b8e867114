import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { completeAuthorization, createAuthorizeUrl } from './authorization.service.ts';
import { callbackInput } from './oauth.inputs.ts';

builder.relayMutationField(
  'createAuthorizeUrl',
  { inputFields: (t) => ({ credentialId: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'credentialId'),
    description: 'Begins the 3-legged authorisation of a credential. The link is good once, for ten minutes.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { credentialId } }, context) => ({
      authorizeUrl: await createAuthorizeUrl(context.deps, inTenant(context).actor, readId('Credential', credentialId)),
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

const OutcomeInput = builder.inputType('AuthorizationOutcome', {
  isOneOf: true,
  description: "What a provider's redirect says of the authorisation: granted, with a code, or not.",
  fields: (t) => ({
    code: t.string({ description: 'The code that the provider gave, at most 8,192 characters.' }),
    error: t.string({ description: 'The error code of a provider that refused.' }),
  }),
});

builder.relayMutationField(
  'completeAuthorization',
  {
    inputFields: (t) => ({
      outcome: t.field({
        type: OutcomeInput,
        required: true,
        description: 'What the redirect brought: a code or an error.',
      }),
      state: t.string({ description: 'The state of the link that the authorisation began with.' }),
      iss: t.string({ description: 'The issuer, where the provider names itself; it must be the one expected.' }),
    }),
  },
  {
    extensions: takes(callbackInput),
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
