import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const NodeRow = graphql(`
  fragment NodeRow on NodeDefinition {
    id slug name description kind version createdAt
    package { name label version }
    viewerCan { delete }
  }
`);

export const Nodes = rows('nodes', NodeRow);

export const NodePage = graphql(
  `
  query NodePage($slug: String!, $version: String!) {
    nodeDefinition(slug: $slug, version: $version) {
      ...NodeRow manifestVersion manifest branches branchesFrom
      inputs { name type required description }
      outputs { name type description }
      outputSchemas { branch isInferred schema }
      fields { key label type required help }
    }
  }
`,
  [NodeRow],
);

export const NodeDefinitionRow = graphql(`
  fragment NodeDefinitionRow on NodeDefinition {
    id slug version createdAt
    package { version }
  }
`);

export const VersionsOfNode = rows('nodeVersions', NodeDefinitionRow);

export const DeleteNode = mutation('deleteNode', 'slug version');

export const UploadNodePackage = mutation(
  'uploadNodePackage',
  'created nodePackage { name version build { status } nodes { slug version } }',
);
