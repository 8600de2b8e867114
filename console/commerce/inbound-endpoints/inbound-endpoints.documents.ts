import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const InboundEndpointRow = graphql(`
  fragment InboundEndpointRow on InboundEndpoint {
    id name status url verifier topic triggerHandle createdAt updatedAt
  }
`);

export const InboundEndpoints = rows('inboundEndpoints', InboundEndpointRow);

export const InboundEndpointFacts = graphql(
  `
  fragment InboundEndpointFacts on InboundEndpoint {
    ...InboundEndpointRow
    config previousSecretExpiresAt
    viewerCan { delete disable enable rotate update }
  }
`,
  [InboundEndpointRow],
);

export const InboundEndpointPage = page('inboundEndpoint', InboundEndpointFacts);

export const CallsOfEndpoint = graphql(`
  query CallsOfEndpoint($id: ID!, $first: Int, $after: String) {
    inboundEndpoint(id: $id) {
      id
      calls(first: $first, after: $after) {
        edges { node { eventId receivedAt run { id databaseId } deadLetter { id databaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const RefusalsOfEndpoint = graphql(`
  query RefusalsOfEndpoint($id: ID!, $first: Int, $after: String) {
    inboundEndpoint(id: $id) {
      id
      refusals(first: $first, after: $after) {
        edges { node { hour reason count lastAt sample } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CreateInboundEndpoint = mutation('createInboundEndpoint', 'inboundEndpoint { id }');

export const UpdateInboundEndpoint = mutation('updateInboundEndpoint', 'inboundEndpoint { ...InboundEndpointFacts }', [
  InboundEndpointFacts,
]);

export const EnableInboundEndpoint = mutation('enableInboundEndpoint', 'inboundEndpoint { ...InboundEndpointRow }', [
  InboundEndpointRow,
]);

export const DisableInboundEndpoint = mutation('disableInboundEndpoint', 'inboundEndpoint { ...InboundEndpointRow }', [
  InboundEndpointRow,
]);

export const RotateInboundEndpoint = mutation('rotateInboundEndpoint', 'inboundEndpoint { ...InboundEndpointFacts }', [
  InboundEndpointFacts,
]);

export const DeleteInboundEndpoint = mutation('deleteInboundEndpoint', 'deletedId');
