import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const NodeRow = graphql(`
  fragment NodeRow on NodeDefinition {
    id
    slug
    name
    description
    kind
    version
    createdAt
    package {
      name
      label
      version
    }
    viewerCan {
      delete
    }
  }
`);

export const Nodes = graphql(
  `
    query Nodes($first: Int, $after: String, $filter: NodeDefinitionFilter) {
      nodes(first: $first, after: $after, filter: $filter) {
        edges {
          node {
            ...NodeRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [NodeRow],
);

export const NodePage = graphql(
  `
    query NodePage($slug: String!, $version: String!) {
      nodeDefinition(slug: $slug, version: $version) {
        ...NodeRow
        manifestVersion
        manifest
        branches
        branchesFrom
        inputs {
          name
          type
          required
          description
        }
        outputs {
          name
          type
          description
        }
        outputSchemas {
          branch
          isInferred
          schema
        }
        fields {
          key
          label
          type
          required
          help
        }
      }
    }
  `,
  [NodeRow],
);

export const VersionsOfNode = graphql(`
  query VersionsOfNode($slug: String!, $first: Int, $after: String) {
    nodeVersions(slug: $slug, first: $first, after: $after) {
      edges {
        node {
          id
          slug
          version
          createdAt
          package {
            version
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const DeleteNode = graphql(
  `
    mutation DeleteNode($input: DeleteNodeInput!) {
      deleteNode(input: $input) {
        ... on DeleteNodePayload {
          slug
          version
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UploadNodePackage = graphql(
  `
    mutation UploadNodePackage($input: UploadNodePackageInput!) {
      uploadNodePackage(input: $input) {
        ... on UploadNodePackagePayload {
          created
          nodePackage {
            name
            version
            build {
              status
            }
            nodes {
              slug
              version
            }
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
