import { inputBody } from '#rest/bodies.ts';
import { madeOrFound, nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { putSecretInput } from '#src/automation/secrets/secrets.inputs.ts';

const tag = {
  name: 'Tenant Secrets',
  description: 'Values that expressions read as `secrets.KEY`, stored encrypted and never answered.',
};

const secretFields = 'key created_at: createdAt updated_at: updatedAt';

export const secretRoutes = [
  route({
    method: 'GET',
    path: '/secrets',
    name: 'listSecrets',
    tag,
    summary: "The tenant's secrets by key, never their values.",
    document: `query ($first: Int, $after: String) {
        secrets(first: $first, after: $after) { edges { node { ${secretFields} } } pageInfo { hasNextPage endCursor } }
      }`,
    streamedList: {},
  }),
  route({
    method: 'GET',
    path: '/secrets/{key}',
    name: 'getSecret',
    tag,
    summary: 'One secret, never its value.',
    document: `query ($key: String!) { secret(key: $key) { ${secretFields} } }`,
    variables: ({ params }) => ({ key: params.key }),
    reply: one(),
  }),
  route({
    method: 'PUT',
    path: '/secrets/{key}',
    name: 'putSecret',
    tag,
    summary: 'Makes a secret (201) or replaces its value (200). Workflows read it as secrets.KEY.',
    document: `mutation ($input: PutSecretInput!) {
        putSecret(input: $input) { ... on PutSecretPayload { made secret { ${secretFields} } } ...Failure }
      }`,
    body: inputBody(putSecretInput.omit({ key: true })),
    variables: ({ params, body }) => ({ input: { ...body, key: params.key } }),
    reply: madeOrFound({ at: 'secret', by: 'made' }),
    example: { body: { value: 'correct horse battery staple' } },
  }),
  route({
    method: 'DELETE',
    path: '/secrets/{key}',
    name: 'deleteSecret',
    tag,
    summary: 'Deletes a secret.',
    document: `mutation ($key: String!) {
        deleteSecret(input: { key: $key }) { ... on DeleteSecretPayload { deletedKey } ...Failure }
      }`,
    variables: ({ params }) => ({ key: params.key }),
    reply: nothing,
  }),
];
