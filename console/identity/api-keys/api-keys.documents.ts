import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ApiKeyRow = graphql(`
  fragment ApiKeyRow on ApiKey {
    id
    name
    prefix
    scopes
    createdAt
    expiresAt
    lastUsedAt
    revokedAt
    viewerCan {
      rotate
      revoke
    }
  }
`);

export const ApiKeys = graphql(
  `
    query ApiKeys($first: Int, $after: String) {
      apiKeys(first: $first, after: $after) {
        edges {
          node {
            ...ApiKeyRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ApiKeyRow],
);

export const ApiKeyPage = graphql(
  `
    query ApiKeyPage($id: ID!) {
      node(id: $id) {
        ... on ApiKey {
          ...ApiKeyRow
        }
      }
    }
  `,
  [ApiKeyRow],
);

export const CreateApiKey = graphql(
  `
    mutation CreateApiKey($input: CreateApiKeyInput!) {
      createApiKey(input: $input) {
        ... on CreateApiKeyPayload {
          secret
          apiKey {
            ...ApiKeyRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ApiKeyRow, Refusal],
);

export const RotateApiKey = graphql(
  `
    mutation RotateApiKey($input: RotateApiKeyInput!) {
      rotateApiKey(input: $input) {
        ... on RotateApiKeyPayload {
          secret
          apiKey {
            ...ApiKeyRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ApiKeyRow, Refusal],
);

export const RevokeApiKey = graphql(
  `
    mutation RevokeApiKey($input: RevokeApiKeyInput!) {
      revokeApiKey(input: $input) {
        ... on RevokeApiKeyPayload {
          apiKey {
            ...ApiKeyRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ApiKeyRow, Refusal],
);
