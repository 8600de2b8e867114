import { graphql } from '#console/graph/graphql.ts';

/** What is within the fields of a node; read when its form opens, since that of all nodes would be megabytes. */
export const NestedFields = graphql(`
  query NestedFields($slug: String!, $version: String!) {
    nodeDefinition(slug: $slug, version: $version) {
      id
      fields { key nullable format nested }
    }
  }
`);
