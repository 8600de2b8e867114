import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { data, nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import {
  createCredentialInput,
  credentialConfig,
  credentialName,
  testConfigInput,
  updateCredentialInput,
} from '#src/automation/credentials/credentials.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';

export const credentialsTag = {
  name: 'Credentials',
  description: 'Instances of credential types, whose secrets are stored encrypted and never answered.',
};

const credentialFields = `fragment Credential on Credential {
  id: databaseId tenant_id: tenantId credential_type_slug: credentialTypeSlug name status public_config: publicConfig
  created_at: createdAt updated_at: updatedAt last_test_at: lastTestAt last_test_ok: lastTestOk
  last_test_message: lastTestMessage
}`;

const expiresAt = instantText.nullish().describe('Left out: what the secrets say, where they are JWTs.');

export const credentialRoutes = [
  route({
    method: 'GET',
    path: '/credentials',
    name: 'listCredentials',
    tag: credentialsTag,
    summary: "The tenant's credentials by name, without their secrets.",
    document: `query ($type: String, $first: Int, $after: String) {
        credentials(filter: { type: $type }, first: $first, after: $after) {
          edges { node { ...Credential } } pageInfo { hasNextPage endCursor }
        }
      } ${credentialFields}`,
    query: z.object({ type: z.string().max(128).optional().describe('Slug of a credential type.') }),
    variables: ({ query }) => query,
    streamedList: {},
  }),
  route({
    method: 'POST',
    path: '/credentials',
    name: 'createCredential',
    tag: credentialsTag,
    summary: "Stores a credential, sealed, after holding its config against the type's fields.",
    document: `mutation ($input: CreateCredentialInput!) {
        createCredential(input: $input) { ... on CreateCredentialPayload { credential { ...Credential } } ...Failure }
      } ${credentialFields}`,
    body: inputBody(createCredentialInput.extend({ expiresAt })),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'credential' }),
    example: { body: { credential_type_slug: 'core:bearer', name: 'ERP', config: { token: 'a-token' } } },
  }),
  route({
    method: 'POST',
    path: '/credentials/test',
    name: 'testCredentialConfig',
    tag: credentialsTag,
    summary: 'Tests a config that is not stored. A failed test is an answer as well: `ok` is false.',
    document: `mutation ($input: TestCredentialConfigInput!) {
        testCredentialConfig(input: $input) { ... on TestCredentialConfigPayload { ok message } ...Failure }
      }`,
    body: inputBody(testConfigInput),
    variables: ({ body }) => ({ input: body }),
    reply: one(),
    example: { body: { credential_type_slug: 'core:bearer', config: { token: 'a-token' } } },
  }),
  route({
    method: 'GET',
    path: '/credentials/{id}',
    name: 'getCredential',
    tag: credentialsTag,
    summary: 'A credential without its secrets.',
    document: `query ($id: ID!) { credential(id: $id) { ...Credential } } ${credentialFields}`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/credentials/{id}',
    name: 'updateCredential',
    tag: credentialsTag,
    summary:
      'Changes what is given. A config is whole, but its secret fields keep what they hold where they are left out.',
    document: `mutation ($input: UpdateCredentialInput!) {
        updateCredential(input: $input) { ... on UpdateCredentialPayload { credential { ...Credential } } ...Failure }
      } ${credentialFields}`,
    body: inputBody(
      // GraphQL clients send null for omitted fields; here null would clear a required one.
      updateCredentialInput.extend({ name: credentialName.optional(), config: credentialConfig.optional(), expiresAt }),
    ),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'credential' }),
    example: { body: { name: 'ERP, production' } },
  }),
  route({
    method: 'DELETE',
    path: '/credentials/{id}',
    name: 'deleteCredential',
    tag: credentialsTag,
    summary: 'Deletes a credential. Where workflows still name it, a `Warning` header says which.',
    document: `mutation ($id: ID!) {
        deleteCredential(input: { id: $id }) {
          ... on DeleteCredentialPayload { deletedId usedBy { workflowId } } ...Failure
        }
      }`,
    variables: ({ params }) => params,
    reply: { ...nothing, replyHeaders: usageWarning },
  }),
  route({
    method: 'POST',
    path: '/credentials/{id}/test',
    name: 'testCredential',
    tag: credentialsTag,
    summary: 'Tests a stored credential and keeps the outcome with it.',
    document: `mutation ($id: ID!) {
        testCredential(input: { id: $id }) {
          ... on TestCredentialPayload { ok message last_test_at: lastTestAt last_test_ok: lastTestOk }
          ...Failure
        }
      }`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/credentials',
    name: 'listWorkflowCredentials',
    tag: { name: 'Workflow Credentials', description: 'The credentials that the nodes of a workflow name.' },
    summary: 'The credentials that the nodes of a workflow name: ids and types, never values.',
    document: `query ($id: ID!) {
        workflow(id: $id) {
          credentials {
            node_id: nodeId field credential_id: credentialId credential_type_slug: credentialTypeSlug
          }
        }
      }`,
    variables: ({ params }) => params,
    reply: data({ at: 'credentials' }),
  }),
];

/** Ids only: a header must not contain text that a tenant chose. */
function usageWarning(found: unknown): Record<string, string> {
  const { usedBy } = found as { usedBy: { workflowId: number }[] };
  const ids = [...new Set(usedBy.map(({ workflowId }) => workflowId))];
  if (ids.length === 0) return {};
  const named = ids.length > 20 ? `${ids.slice(0, 20).join(', ')} and more` : ids.join(', ');
  return { warning: `299 - "Workflows that still name the credential: ${named}"` };
}
