import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import type { CredentialTestOutcome } from './credential-test-outcome.rules.ts';
import { testCredential, testCredentialConfig } from './credential-tests.service.ts';
import { CredentialRef, CredentialTestOutcomeRef } from './credentials.graphql.ts';
import { testConfigInput } from './credentials.inputs.ts';

const okDescription =
  'True if the test succeeded. False if it failed, or if nothing was tested: `outcome` tells them apart.';
const isPassed = ({ outcome }: CredentialTestOutcome): boolean => outcome === 'succeeded';

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
      ok: t.boolean({ description: okDescription, resolve: isPassed }),
      outcome: t.expose('outcome', { type: CredentialTestOutcomeRef }),
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
        resolve: isPassed,
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
      ok: t.boolean({ description: okDescription, resolve: isPassed }),
      outcome: t.expose('outcome', { type: CredentialTestOutcomeRef }),
      message: t.exposeString('message', { description: 'At most 500 characters, without secrets.' }),
    }),
  },
);
