import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const HttpSourceRow = graphql(`
  fragment HttpSourceRow on HttpSource {
    id
    name
    url
    headerNames
    viewerCan {
      update
      delete
    }
    createdAt
    updatedAt
  }
`);

export const HttpSources = graphql(
  `
    query HttpSources($first: Int, $after: String, $orderBy: HttpSourceOrder) {
      httpSources(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...HttpSourceRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [HttpSourceRow],
);

export const HttpSourcePage = graphql(
  `
    query HttpSourcePage($id: ID!) {
      httpSource(id: $id) {
        ...HttpSourceRow
      }
    }
  `,
  [HttpSourceRow],
);

export const CreateHttpSource = graphql(
  `
    mutation CreateHttpSource($input: CreateHttpSourceInput!) {
      createHttpSource(input: $input) {
        ... on CreateHttpSourcePayload {
          httpSource {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateHttpSource = graphql(
  `
    mutation UpdateHttpSource($input: UpdateHttpSourceInput!) {
      updateHttpSource(input: $input) {
        ... on UpdateHttpSourcePayload {
          httpSource {
            ...HttpSourceRow
          }
        }
        ...Refusal
      }
    }
  `,
  [HttpSourceRow, Refusal],
);

export const DeleteHttpSource = graphql(
  `
    mutation DeleteHttpSource($input: DeleteHttpSourceInput!) {
      deleteHttpSource(input: $input) {
        ... on DeleteHttpSourcePayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
