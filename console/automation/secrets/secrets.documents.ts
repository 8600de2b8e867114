import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const SecretRow = graphql(`
  fragment SecretRow on TenantSecret {
    id key createdAt updatedAt
    viewerCan { delete update }
  }
`);

export const Secrets = rows('secrets', SecretRow);

export const SecretPage = page('node', SecretRow);

export const PutSecret = mutation('putSecret', 'secret { ...SecretRow }', [SecretRow]);

export const DeleteSecret = mutation('deleteSecret', 'deletedKey');
