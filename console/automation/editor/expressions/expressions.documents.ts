import { graphql } from '#console/graph/graphql.ts';

export const ScopeEntryRow = graphql(`
  fragment ScopeEntryRow on ExpressionScopeEntry {
    path name depth type sample hasMore isDeclared
  }
`);

export const ItemSourceRow = graphql(`
  fragment ItemSourceRow on ExpressionItemSource {
    nodeId count
  }
`);

export const NodeScope = graphql(
  `
  query NodeScope($workflowId: ID!, $nodeId: String, $runId: ID, $items: [Int!]!, $blob: JSON, $hasItem: Boolean!) {
    expressionScope(workflowId: $workflowId, nodeId: $nodeId, runId: $runId, items: $items, blob: $blob) { ...ScopeEntryRow }
    expressionItemSources(workflowId: $workflowId, nodeId: $nodeId, runId: $runId, items: $items, blob: $blob)
      @include(if: $hasItem) { ...ItemSourceRow }
  }
`,
  [ScopeEntryRow, ItemSourceRow],
);

export const Evaluate = graphql(`
  query Evaluate($expressions: [String!]!, $scope: ExpressionScope!) {
    evaluateExpressions(expressions: $expressions, scope: $scope) {
      value type
      error { message position }
    }
  }
`);

export const Functions = graphql(`
  query Functions {
    expressionFunctions { name signature description example yields }
  }
`);
