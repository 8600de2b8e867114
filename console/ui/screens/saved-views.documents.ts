import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const Views = graphql(`
  query Views($list: String!) {
    savedViews(list: $list, first: 100) {
      edges {
        node {
          id
          name
          owner
          isOwn
          columns
        }
      }
    }
  }
`);

export const CreateView = graphql(
  `
    mutation CreateView($input: CreateSavedViewInput!) {
      createSavedView(input: $input) {
        ... on CreateSavedViewPayload {
          savedView {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const DeleteView = graphql(
  `
    mutation DeleteView($input: DeleteSavedViewInput!) {
      deleteSavedView(input: $input) {
        ... on DeleteSavedViewPayload {
          __typename
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
