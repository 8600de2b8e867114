import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const CredentialRow = graphql(`
  fragment CredentialRow on Credential {
    id name status credentialTypeSlug expiresAt lastTestAt lastTestOutcome createdAt updatedAt
    type { id name }
  }
`);

export const Credentials = rows('credentials', CredentialRow);

export const CredentialFacts = graphql(
  `
  fragment CredentialFacts on Credential {
    ...CredentialRow
    lastTestMessage publicConfig isAuthorizedByUser
    rateLimit { requests per burst }
    rateState { closedUntil waitingSteps }
    type { id name authKind fields }
    usedBy { nodeId field workflowName workflow { id } }
    viewerCan { authorize delete test update }
  }
`,
  [CredentialRow],
);

export const CredentialPage = page('credential', CredentialFacts);

export const CredentialTypeFacts = graphql(`
  fragment CredentialTypeFacts on CredentialType {
    id slug name description authKind fields
  }
`);

export const CredentialTypes = rows('credentialTypes', CredentialTypeFacts);

export const CreateCredential = mutation('createCredential', 'credential { id databaseId }');

export const UpdateCredential = mutation('updateCredential', 'credential { ...CredentialFacts }', [CredentialFacts]);

export const TestCredential = mutation('testCredential', 'outcome message credential { ...CredentialFacts }', [
  CredentialFacts,
]);

export const DeleteCredential = mutation('deleteCredential', 'deletedId');

export const CreateAuthorizeUrl = mutation('createAuthorizeUrl', 'authorizeUrl');

export const CompleteAuthorization = mutation('completeAuthorization', 'credentialId');
