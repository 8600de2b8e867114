import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ApiKeyRow = graphql(`
  fragment ApiKeyRow on ApiKey {
    id name prefix scopes createdAt expiresAt lastUsedAt revokedAt
    viewerCan { rotate revoke }
  }
`);

export const ApiKeys = rows('apiKeys', ApiKeyRow);

export const ApiKeyPage = graphql(
  `
  query ApiKeyPage($id: ID!) {
    node(id: $id) { ... on ApiKey { ...ApiKeyRow } }
  }
`,
  [ApiKeyRow],
);

export const CreateApiKey = mutation('createApiKey', 'secret apiKey { ...ApiKeyRow }', [ApiKeyRow]);

export const RotateApiKey = mutation('rotateApiKey', 'secret apiKey { ...ApiKeyRow }', [ApiKeyRow]);

export const RevokeApiKey = mutation('revokeApiKey', 'apiKey { ...ApiKeyRow }', [ApiKeyRow]);

export const KeyScopes = graphql(`
  query KeyScopes {
    keyScopes { name allows }
  }
`);
