import { EditorDefinition, EditorDraft } from '#console/automation/editor/editor.documents.ts';
import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const OutdatedNode = graphql(`
  fragment OutdatedNode on NodeUpgrade {
    path slug version current newest
  }
`);

/** Without states and differences, for which the code of packages runs. */
export const OutdatedNodes = graphql(
  `
  query OutdatedNodes($workflowId: ID!) {
    nodeUpgrades(workflowId: $workflowId, first: 100) { edges { node { ...OutdatedNode } } }
  }
`,
  [OutdatedNode],
);

export const UpgradePreview = graphql(`
  fragment UpgradePreview on NodeUpgrade {
    path state
    issues { message }
    migration {
      changes { path from to }
      issues { message }
      error { message }
    }
    diff {
      required
      fields { added { key label } removed { key label } changed { path from to } }
      outputs { added { name } removed { name } }
      branches { added removed }
    }
  }
`);

/** What becomes of one outdated node, by its place in the list. */
export const PreviewUpgrade = graphql(
  `
  query PreviewUpgrade($workflowId: ID!, $offset: Int!) {
    nodeUpgrades(workflowId: $workflowId, first: 1, offset: $offset) { edges { node { ...UpgradePreview } } }
  }
`,
  [UpgradePreview],
);

export const UpgradeNodes = mutation(
  'upgradeNodes',
  'draft { ...EditorDraft } upgraded { path to } refused { path message } remaining',
  [EditorDraft],
);

/** The version of a node that its workflow asks for, where that is not the newest. */
export const DefinitionAt = graphql(
  `
  query DefinitionAt($slug: String!, $version: String!) {
    nodeDefinition(slug: $slug, version: $version) { ...EditorDefinition }
  }
`,
  [EditorDefinition],
);
