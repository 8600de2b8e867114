import { graphql } from '#console/graph/graphql.ts';

export const Search = graphql(`
  query Search($text: String!) {
    search(text: $text, first: 20) { results { __typename kind nodeId title subtitle } }
  }
`);
