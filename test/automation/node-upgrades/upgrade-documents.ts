export const previewFields = `path slug version current newest state issues { code field message path }
  diff {
    fields { added { key } removed { key } changed { path from to } }
    required
    credentials { field added removed }
    inputs { added { name } removed { name } changed { path } }
    outputs { added { name } removed { name } changed { path from to } }
    branches { added removed }
  }`;

export const listUpgrades = (fields: string): string =>
  `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    nodeUpgrades(workflowId: $id, first: $first, after: $after, last: $last, before: $before) {
      edges { node { ${fields} } } pageInfo { endCursor startCursor hasNextPage hasPreviousPage } totalCount } }`;
