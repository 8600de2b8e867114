import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { callbackQuery, tenantOfConsoleState } from '#src/automation/credentials/oauth/oauth.inputs.ts';
import { credentialsTag } from './credentials.routes.ts';

export const credentialOauthRoutes = [
  route({
    method: 'GET',
    path: '/credentials/oauth/callback',
    name: 'completeAuthorization',
    tag: credentialsTag,
    summary: 'Where a provider sends the user back to; its state is good once.',
    document: `mutation ($input: CompleteAuthorizationInput!) {
        completeAuthorization(input: $input) {
          ... on CompleteAuthorizationPayload { status credential_id: credentialDatabaseId }
          ...Failure
        }
      }`,
    // Providers add parameters of their own, such as `session_state` and `scope`.
    query: callbackQuery.loose(),
    // A redirect without a code or an error counts as failed.
    variables: ({ query: { code, error, state, iss } }) => ({
      input: {
        state,
        iss,
        outcome: code !== undefined && error === undefined ? { code } : { error: error ?? 'invalid_request' },
      },
    }),
    // The console asks the same mutation, so that it can say in words how the authorisation ended.
    redirect({ query: { code, error, state, iss } }, { deps }) {
      const tenant = state === undefined ? undefined : tenantOfConsoleState(state);
      if (state === undefined || tenant === undefined) return null;
      const given = Object.entries({ state, code, error, iss }).flatMap(([name, value]) =>
        value === undefined ? [] : [[`oauth_${name}`, value]],
      );
      const { publicUrl } = deps;
      return `${publicUrl.replace(/\/+$/, '')}/console/t/${tenant}/credentials/authorized?${new URLSearchParams(given)}`;
    },
    reply: {
      ...one(),
      others: { 303: { description: 'The console began the authorisation, and completes it there.', schema: null } },
    },
    refuses: ['BAD_REQUEST', 'UNPROCESSABLE', 'UNAVAILABLE'],
  }),
  route({
    method: 'POST',
    path: '/credentials/{id}/oauth/authorize-url',
    name: 'createAuthorizeUrl',
    tag: credentialsTag,
    summary: 'A link at which a user grants access: good once, for ten minutes.',
    document: `mutation ($id: ID!) {
        createAuthorizeUrl(input: { credentialId: $id }) {
          ... on CreateAuthorizeUrlPayload { authorize_url: authorizeUrl }
          ...Failure
        }
      }`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
    refuses: ['UNPROCESSABLE'],
  }),
];
