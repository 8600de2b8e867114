import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { testCredential, testCredentialConfig } from './credential-tests.service.ts';
import { CredentialRef } from './credentials.graphql.ts';
import { testConfigInput } from './credentials.inputs.ts';

builder.relayMutationField(
  'testCredential',
  { inputFields: idField },
  {
    description: 'Tests a stored credential and keeps the outcome with it.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, context) =>
      testCredential(context.automation, inTenant(context).actor, readId('Credential', id)),
  },
  {
    outputFields: (t) => ({
      ok: t.exposeBoolean('ok', { description: 'Whether the test succeeded.' }),
      message: t.exposeString('message', { description: 'At most 500 characters, without secrets.' }),
      lastTestAt: t.field({
        type: 'DateTime',
        description: 'When this test ended.',
        nullable: true,
        resolve: ({ credential }) => credential.lastTestAt,
      }),
      lastTestOk: t.boolean({
        nullable: true,
        description: 'The outcome as it is kept with the credential.',
        resolve: ({ credential }) => credential.lastTestOk,
      }),
      credential: t.field({ type: CredentialRef, resolve: ({ credential }) => credential }),
    }),
  },
);

builder.relayMutationField(
  'testCredentialConfig',
  mutationInput(testConfigInput),
  {
    description: 'Tests a config that is not stored.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) => testCredentialConfig(context.automation, inTenant(context).actor, input),
  },
  {
    outputFields: (t) => ({
      ok: t.exposeBoolean('ok', { description: 'Whether the test succeeded.' }),
      message: t.exposeString('message', { description: 'At most 500 characters, without secrets.' }),
    }),
  },
);
