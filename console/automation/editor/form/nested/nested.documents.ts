import { graphql } from '#console/graph/graphql.ts';

/** Reads the inner structure of a node's fields. It is read when the form opens, because the structures of all nodes would be megabytes. */
export const NestedFields = graphql(`
  query NestedFields($slug: String!, $version: String!) {
    nodeDefinition(slug: $slug, version: $version) {
      id
      fields { key nullable format nested }
    }
  }
`);
